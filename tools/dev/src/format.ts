/** `npm run format`: writes everything in the format that `npm test` wants. */
import { command, runCommand } from '@platform-backend/command-line';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { repository } from './settings.ts';

await runCommand(
  command({
    name: 'npm run format --',
    usage: `npm run format

Writes every file of the repository in the format that npm test wants.`,
    run() {
      const formatted = run('oxfmt', '.') && run('buf', 'format', '--write', 'protos');
      if (!formatted) process.exitCode = 1;
    },
  }),
);

/** @returns whether it did what it is for. */
function run(program: 'oxfmt' | 'buf', ...args: readonly string[]): boolean {
  const binary = join(repository, 'node_modules/.bin', program);
  return spawnSync(binary, args, { cwd: repository, stdio: 'inherit' }).status === 0;
}
