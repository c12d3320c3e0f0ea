import { missingPrograms } from '@platform-backend/system-programs';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './repository-programs.ts';

/** What is in git, or would be by `git add`. */
export function repositoryFiles(): string[] {
  const lack = missingPrograms('git');
  if (lack !== undefined) throw new Error(`${lack}; it tells which files belong to the repository.`);
  return execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: repository })
    .toString()
    .split('\n')
    .filter((path) => path !== '' && existsSync(join(repository, path)));
}
