/** `npm run generate:configuration`: writes docs/configuration.md, see USAGE. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { configurationPage } from './configuration-page.ts';
import { repository, repositoryPrograms } from './repository-programs.ts';

const USAGE = `npm run generate:configuration

Writes docs/configuration.md from the settings of all programs: their names, defaults, values and descriptions.
`;

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', short: 'h' } } });
  if (values.help) process.stdout.write(USAGE);
  else {
    writeFileSync(join(repository, 'docs/configuration.md'), configurationPage(await repositoryPrograms()));
    process.stdout.write('docs/configuration.md is written\n');
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
