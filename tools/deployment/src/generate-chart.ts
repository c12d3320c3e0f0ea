/** `npm run generate:chart`: writes what the chart in deploy/helm knows of the apps. */
import { command, runCommand } from '@platform-backend/command-line';
import { writeFileSync } from 'node:fs';

await runCommand(
  command({
    name: 'npm run generate:chart --',
    usage: `npm run generate:chart

Writes what the chart in deploy/helm knows of the apps, from what they declare: who calls whom, settings and secrets.`,
    async run() {
      const { chartFiles, inRepository } = await import('./chart-files.ts');
      for (const [path, text] of Object.entries(await chartFiles())) {
        writeFileSync(inRepository(path), text);
        process.stdout.write(`${path} is written\n`);
      }
    },
  }),
);
