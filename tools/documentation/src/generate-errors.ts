/** `npm run generate:errors`: writes docs/errors.md. */
import { command, runCommand } from '@platform-backend/command-line';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

await runCommand(
  command({
    name: 'npm run generate:errors --',
    usage: `npm run generate:errors

Writes docs/errors.md from what the areas, the gateway and the libraries declare in errors.ts: statuses, codes and texts.`,
    async run() {
      const [{ declaredErrors, errorsPage }, { repositoryFiles }, { repository }] = await Promise.all([
        import('./errors-page.ts'),
        import('./repository-files.ts'),
        import('./repository-programs.ts'),
      ]);
      const page = errorsPage(await declaredErrors(repositoryFiles()));
      writeFileSync(join(repository, 'docs/errors.md'), page);
      process.stdout.write('docs/errors.md is written\n');
    },
  }),
);
