#!/usr/bin/env node
/**
 * The first step of every command: `node tools/dev/bootstrap.mjs <program> [arguments]`. It runs on any Node >= 18 with
 * nothing installed, installs the packages that the program needs, and hands over to it on the project's own Node:
 * `tools/dev/src/<program>.ts`, or a path in the repository. It stays as that process's parent, passes signals on, and
 * stops it when the one who started us disappears.
 */
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { whenStarterEnds } from './ancestry.mjs';
import { terminalBar } from './install-bar.mjs';
import { ensurePackages, hasPackages } from './packages.mjs';
import { pinnedNode } from './pinned-node.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));
const [program = 'start', ...args] = process.argv.slice(2);

/** What runs the platform, or asks it, needs no compiler, linter or test runner; every other program is given all packages. */
const running = [
  'start',
  'debug',
  'token',
  'events',
  'audit',
  'billing',
  'tools/demo/',
  'tools/models/',
  'tools/deployment/src/compose-environment.ts',
];
const purpose = running.some((one) => (one.endsWith('/') ? program.startsWith(one) : program === one))
  ? 'running'
  : 'working';
/** The others may be what changes the packages, and are content with those that are there. */
const wantsLatest = ['start', 'debug', 'test'].includes(program);

try {
  if (wantsLatest || !hasPackages(root, purpose)) {
    // On standard error, for `npm run -s token` prints nothing but the token on standard output.
    await ensurePackages(root, purpose, terminalBar(process.stderr));
  }
  handOver(pinnedNode(root));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

/** @param {string} node */
function handOver(node) {
  const modules = join(root, 'node_modules', '.bin');
  const path = program.includes('/') ? join(root, program) : join(here, 'src', `${program}.ts`);
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', path, ...args], {
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
