/** `npm run protos:breaking`: says which promises the protos break, and fails when there is one. */
import { brokenPromises } from './released.ts';

const broken = brokenPromises();
for (const sentence of broken) process.stderr.write(`${sentence}\n`);
process.exit(broken.length === 0 ? 0 : 1);
