import { join } from 'node:path';

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/**
 * The regular expressions of the test files that were asked for: in folders, files themselves, and those with a part of a name
 * in their path; in one project alone when it is given.
 */
export function testPathPatterns(
  root: string,
  selected: readonly string[],
  project: string | undefined,
  exists: (path: string) => boolean,
): string[] {
  const within = project === undefined ? '' : `^${escaped(join(root, project))}/.*`;
  if (selected.length === 0) return within === '' ? [] : [within];
  const fromRoot = (path: string): string => `^${escaped(join(root, path))}(/|$)`;
  return selected.map((one) => {
    if (exists(join(root, one))) return fromRoot(one);
    if (project !== undefined && exists(join(root, project, one))) return fromRoot(join(project, one));
    return `${within}${escaped(one)}`;
  });
}
