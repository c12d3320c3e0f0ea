import { posix } from 'node:path';
import type { SourceFile } from './source-file.ts';

/** Files that need each other, the one after the other; the first is needed by the last. */
export type Cycle = readonly string[];

/** Every circle of files, found once: a reader of one of them would have to know all. Imports of types count as well. */
export function cyclesAmong(files: readonly SourceFile[]): Cycle[] {
  const paths = new Set(files.map(({ path }) => path));
  const neededBy = new Map(
    files.map(({ path, imports }) => [
      path,
      imports.map(({ specifier }) => posix.join(posix.dirname(path), specifier)).filter((other) => paths.has(other)),
    ]),
  );
  const cycles: Cycle[] = [];
  const finished = new Set<string>();
  const visit = (path: string, way: readonly string[]): void => {
    const since = way.indexOf(path);
    if (since !== -1) cycles.push(way.slice(since));
    if (since !== -1 || finished.has(path)) return;
    for (const next of neededBy.get(path) ?? []) visit(next, [...way, path]);
    finished.add(path);
  };
  for (const path of paths) visit(path, []);
  return cycles;
}
