/** `npm run protos:breaking`: says which promises the protos break, and fails when there is one. */
import { command, runCommand } from '@platform-backend/command-line';

await runCommand(
  command({
    name: 'npm run protos:breaking --',
    usage: `npm run protos:breaking

Says which promises to clients the protos break (messages, routes, access and rules), and fails when there is one.`,
    async run() {
      const { brokenPromises } = await import('./released.ts');
      const broken = brokenPromises();
      for (const sentence of broken) process.stderr.write(`${sentence}\n`);
      if (broken.length > 0) process.exitCode = 1;
    },
  }),
);
