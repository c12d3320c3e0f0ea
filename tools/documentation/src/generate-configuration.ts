/** `npm run generate:configuration`: writes docs/configuration.md. */
import { command, runCommand } from '@platform-backend/command-line';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

await runCommand(
  command({
    name: 'npm run generate:configuration --',
    usage: `npm run generate:configuration

Writes docs/configuration.md from the settings of all programs: their names, defaults, values and descriptions.`,
    async run() {
      const [{ configurationPage }, { repository, repositoryPrograms }] = await Promise.all([
        import('./configuration-page.ts'),
        import('./repository-programs.ts'),
      ]);
      writeFileSync(join(repository, 'docs/configuration.md'), configurationPage(await repositoryPrograms()));
      process.stdout.write('docs/configuration.md is written\n');
    },
  }),
);
