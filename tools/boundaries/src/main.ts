/** Prints every crossing of a border and fails if there is one. */
import { command, runCommand } from '@platform-backend/command-line';
import { join, resolve } from 'node:path';
import { checkWorkspace } from './check-workspace.ts';

await runCommand(
  command({
    name: 'npm run boundaries --',
    usage: `npm run boundaries [-- FOLDER]

Says where the source imports what it must not: apps each other, libraries the business, inner layers the outer ones.
  FOLDER   another copy of the repository than this one`,
    words: true,
    run({ positionals: [folder = join(import.meta.dirname, '../../..')] }) {
      const { files, violations } = checkWorkspace(resolve(folder));
      for (const { path, line, message } of violations) console.log(`${path}:${line} ${message}`);
      console.log(
        `${files} files, ${violations.length === 0 ? 'no border crossed' : `${violations.length} borders crossed`}`,
      );
      if (violations.length > 0) process.exitCode = 1;
    },
  }),
);
