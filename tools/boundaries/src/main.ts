/** Prints every crossing of a border and fails if there is one. */
import { join, resolve } from 'node:path';
import { checkWorkspace } from './check-workspace.ts';

const root = resolve(process.argv[2] ?? join(import.meta.dirname, '../../..'));
const { files, violations } = checkWorkspace(root);
for (const { path, line, message } of violations) console.log(`${path}:${line} ${message}`);
console.log(
  `${files} files, ${violations.length === 0 ? 'no border crossed' : `${violations.length} borders crossed`}`,
);
process.exit(violations.length === 0 ? 0 : 1);
