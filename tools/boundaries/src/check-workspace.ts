import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cyclesAmong } from './cycles.ts';
import { checkFile, type Violation } from './rules.ts';
import { parseSourceFile, type SourceFile } from './source-file.ts';
import { readWorkspace, type Workspace } from './workspace.ts';

/** Every source file of the projects at `root`. */
export function readSource(root: string, workspace: Workspace): SourceFile[] {
  const patterns = workspace.projects.map(({ directory }) => `${directory}/**/*.{ts,mts,cts,js,mjs,cjs}`);
  const paths = globSync(patterns, { cwd: root, exclude: ['**/node_modules/**'] }).sort();
  return paths.map((path) => parseSourceFile(path, readFileSync(join(root, path), 'utf8')));
}

/** Every violation in every source file of the projects at `root`, and how many files were read. */
export function checkWorkspace(root: string): { readonly files: number; readonly violations: readonly Violation[] } {
  const workspace = readWorkspace(root);
  const files = readSource(root, workspace);
  const circular = cyclesAmong(files).map(([path = '', ...others]) => ({
    path,
    line: 1,
    message: `needs itself, over ${[...others, path].join(', ')}`,
  }));
  return { files: files.length, violations: [...files.flatMap((file) => checkFile(file, workspace)), ...circular] };
}
