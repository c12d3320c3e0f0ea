/** `npm run -s billing -- payments list`: the commands of billing for operators, of the running platform or of another one. */
import { operate } from './run-as-operator.ts';

await operate('billing');
