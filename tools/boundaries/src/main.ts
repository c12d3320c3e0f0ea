/** Prints every crossing of a border and fails if there is one. */
import { command, runCommand } from '@platform-backend/command-line';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

await runCommand(
  command({
    name: 'npm run boundaries --',
    usage: `npm run boundaries [-- --draw] [FOLDER]

Says where the source imports what it must not: apps each other, libraries the business, inner layers the outer ones, areas of a
service those behind them.
  --draw   draws the areas of each service into docs/architecture.md
  FOLDER   another copy of the repository than this one`,
    options: { draw: { type: 'boolean', default: false } },
    words: true,
    async run({ values: { draw }, positionals: [folder = join(import.meta.dirname, '../../..')] }) {
      const { checkWorkspace, readSource } = await import('./check-workspace.ts');
      if (draw) {
        const [{ areaGraphs, drawnPage }, { readWorkspace }] = await Promise.all([
          import('./drawing.ts'),
          import('./workspace.ts'),
        ]);
        const workspace = readWorkspace(resolve(folder));
        const page = join(resolve(folder), 'docs/architecture.md');
        const graphs = areaGraphs(readSource(resolve(folder), workspace), workspace);
        writeFileSync(page, drawnPage(readFileSync(page, 'utf8'), graphs));
      }
      const { files, violations } = checkWorkspace(resolve(folder));
      for (const { path, line, message } of violations) console.log(`${path}:${line} ${message}`);
      console.log(
        `${files} files, ${violations.length === 0 ? 'no border crossed' : `${violations.length} borders crossed`}`,
      );
      if (violations.length > 0) process.exitCode = 1;
    },
  }),
);
