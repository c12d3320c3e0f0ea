import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './repository-programs.ts';

/** What is in git, or would be by `git add`. */
export const repositoryFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: repository })
    .toString()
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(repository, path)));
