/** `npm run -s audit -- verify`: the audit log, for operators, of the running platform or of another one. */
import { declaredServices } from '@platform-backend/service/declared';
import path from 'node:path';
import { runAsOperator } from './run-as-operator.ts';
import { readSettings } from './settings.ts';

const args = process.argv.slice(2);
const settings = readSettings(process.env);
const services = await declaredServices(settings.apps);
const identity = services.find(({ declaration }) => declaration.name === 'identity');
if (!identity) throw new Error(`there is no identity among ${settings.apps}`);
await runAsOperator({ settings, services }, identity, path.join(settings.apps, 'identity/src/operate.ts'), args);
