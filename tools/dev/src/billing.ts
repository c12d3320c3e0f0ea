/** `npm run -s billing -- payments list`: the commands of billing for operators, of the running platform or of another one. */
import { declaredServices } from '@platform-backend/service/declared';
import path from 'node:path';
import { runAsOperator } from './run-as-operator.ts';
import { readSettings } from './settings.ts';

const args = process.argv.slice(2);
const settings = readSettings(process.env);
const services = await declaredServices(settings.apps);
const billing = services.find(({ declaration }) => declaration.name === 'billing');
if (!billing) throw new Error(`there is no billing among ${settings.apps}`);
await runAsOperator({ settings, services }, billing, path.join(settings.apps, 'billing/src/operate.ts'), args);
