/** `npm run protos:release`: makes the protos as they are the promise. */
import { command, runCommand } from '@platform-backend/command-line';

await runCommand(
  command({
    name: 'npm run protos:release --',
    usage: `npm run protos:release [-- --break-promises]

Makes the protos as they are the promise that npm test keeps. Refused while they break the last one.
  --break-promises   that is what is wanted`,
    options: { 'break-promises': { type: 'boolean', default: false } },
    async run({ values }) {
      const { brokenPromises, promises, release } = await import('./released.ts');
      const broken = brokenPromises();
      for (const sentence of broken) process.stderr.write(`${sentence}\n`);
      if (broken.length > 0 && !values['break-promises']) process.exitCode = 1;
      else for (const promised of promises()) release(promised);
    },
  }),
);
