/** `npm run generate:errors`: writes docs/errors.md. */
import { command, runCommand } from '@platform-backend/command-line';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { declaredErrors, errorsPage } from './errors-page.ts';
import { repositoryFiles } from './repository-files.ts';
import { repository } from './repository-programs.ts';

await runCommand(
  command({
    name: 'npm run generate:errors --',
    usage: `npm run generate:errors

Writes docs/errors.md from what the areas, the gateway and the libraries declare in errors.ts: statuses, codes and texts.`,
    async run() {
      const page = errorsPage(await declaredErrors(repositoryFiles()));
      writeFileSync(join(repository, 'docs/errors.md'), page);
      process.stdout.write('docs/errors.md is written\n');
    },
  }),
);
