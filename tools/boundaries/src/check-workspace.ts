import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFile, type Violation } from './rules.ts';
import { parseSourceFile } from './source-file.ts';
import { readWorkspace } from './workspace.ts';

/** Every violation in every source file of the projects at `root`, and how many files were read. */
export function checkWorkspace(root: string): { readonly files: number; readonly violations: readonly Violation[] } {
  const workspace = readWorkspace(root);
  const patterns = workspace.projects.map(({ directory }) => `${directory}/**/*.{ts,mts,cts,js,mjs,cjs}`);
  const files = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).sort();
  const violations = files.flatMap((path) =>
    checkFile(parseSourceFile(path, readFileSync(join(root, path), 'utf8')), workspace),
  );
  return { files: files.length, violations };
}
