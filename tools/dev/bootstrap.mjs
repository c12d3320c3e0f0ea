#!/usr/bin/env node
/**
 * The first step of every command: `node tools/dev/bootstrap.mjs <command> [arguments]`. It runs on any
 * Node >= 18 with nothing installed, installs the packages if needed, and hands over to
 * `tools/dev/src/<command>.ts` on the project's own Node. It stays as that process's parent, passes
 * signals on, and stops it when the one who started us disappears.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { whenStarterEnds } from './ancestry.mjs';
import { ensurePackages } from './packages.mjs';
import { pinnedNode } from './pinned-node.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const [command = 'start', ...args] = process.argv.slice(2);

try {
  // On standard error, for `npm run -s token` prints nothing but the token on standard output.
  await ensurePackages(root, (text) => console.error(text));
  handOver(pinnedNode(root));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** @param {string} node */
function handOver(node) {
  const modules = join(root, 'node_modules', '.bin');
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', join(here, 'src', `${command}.ts`), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: {
      // What has been compiled once is read the next time, also by the processes that are started from there.
      NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node'),
      ...process.env,
      PATH: `${dirname(node)}:${modules}:${process.env.PATH ?? ''}`,
    },
  });
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  whenStarterEnds(() => child.kill('SIGTERM'));
  child.once('error', (error) => {
    console.error(`The project's Node could not be run: ${error.message}`);
    process.exit(1);
  });
  child.once('exit', (code) => process.exit(code ?? 1));
}
