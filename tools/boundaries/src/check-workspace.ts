import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cyclesAmong } from './cycles.ts';
import { checkFile, type Violation } from './rules.ts';
import { parseSourceFile } from './source-file.ts';
import { readWorkspace } from './workspace.ts';

/** Every violation in every source file of the projects at `root`, and how many files were read. */
export function checkWorkspace(root: string): { readonly files: number; readonly violations: readonly Violation[] } {
  const workspace = readWorkspace(root);
  const patterns = workspace.projects.map(({ directory }) => `${directory}/**/*.{ts,mts,cts,js,mjs,cjs}`);
  const paths = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).sort();
  const files = paths.map((path) => parseSourceFile(path, readFileSync(join(root, path), 'utf8')));
  const circular = cyclesAmong(files).map(([path = '', ...others]) => ({
    path,
    line: 1,
    message: `needs itself, over ${[...others, path].join(', ')}`,
  }));
  return { files: files.length, violations: [...files.flatMap((file) => checkFile(file, workspace)), ...circular] };
}
