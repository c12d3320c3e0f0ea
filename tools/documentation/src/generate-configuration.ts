/** `npm run generate:configuration`: writes docs/configuration.md. */
import { command, runCommand } from '@platform-backend/command-line';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from './configuration-page.ts';
import { repository, repositoryPrograms } from './repository-programs.ts';

await runCommand(
  command({
    name: 'npm run generate:configuration --',
    usage: `npm run generate:configuration

Writes docs/configuration.md from the settings of all programs: their names, defaults, values and descriptions.`,
    async run() {
      writeFileSync(join(repository, 'docs/configuration.md'), configurationPage(await repositoryPrograms()));
      process.stdout.write('docs/configuration.md is written\n');
    },
  }),
);
