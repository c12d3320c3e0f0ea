/**
 * `npm run protos:release [-- --break-promises]`: makes the protos as they are the promise. Refused while they break the
 * last one, unless that is what is wanted.
 */
import { brokenPromises, promises, release } from './released.ts';

const broken = brokenPromises();
for (const sentence of broken) process.stderr.write(`${sentence}\n`);
if (broken.length > 0 && !process.argv.includes('--break-promises')) process.exit(1);
for (const promised of promises()) release(promised);
