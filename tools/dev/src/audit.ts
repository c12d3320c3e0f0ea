/** `npm run -s audit -- verify`: the audit log, for operators, of the running platform or of another one. */
import { operate } from './run-as-operator.ts';

await operate('identity');
