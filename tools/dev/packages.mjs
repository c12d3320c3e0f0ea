/**
 * Installs the npm packages when they are missing or older than what the project asks for. Plain
 * JavaScript without dependencies: this runs before anything is installed, on any Node >= 18.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath } from 'node:url';
import { pinnedNode } from './pinned-node.mjs';

const lookEveryMs = 200;
const prunePackages = fileURLToPath(new URL('../../deploy/prune-packages.ts', import.meta.url));

/**
 * What is installed for: `running` the platform, or `working` on it, which needs all that checks, tests and builds use.
 *
 * @typedef {'running' | 'working'} Purpose
 */

/**
 * Installs what is missing, or has changed since this was done last.
 *
 * @param {string} root the repository
 * @param {Purpose} purpose
 * @param {import('./install-bar.mjs').InstallBar} progress
 */
export async function ensurePackages(root, purpose, progress) {
  const stamp = readStamp(root);
  const pruning = prunedFor();
  const isPrunedOtherwise = stamp.pruning !== undefined && stamp.pruning !== pruning;
  const isCurrent = stamp.fingerprint === fingerprint(root) && !isPrunedOtherwise;
  if (isCurrent && (stamp.purpose === 'working' || purpose === 'running')) return;
  const fresh = !existsSync(join(root, 'node_modules'));
  const listed = listedPackages(root);
  // Nothing is taken away from whoever works on it.
  const whole = purpose === 'working' || stamp.purpose === 'working' || areThereForWorking(root, listed);
  const paths = listed.filter(({ isForWorking }) => whole || !isForWorking).map(({ path }) => join(root, path));
  progress.say(sayWhy(fresh, isCurrent));
  const startedAt = Date.now();
  const seconds = () => (Date.now() - startedAt) / 1000;
  const timer = setInterval(
    () => progress.show({ done: paths.filter(isUnpacked).length, total: paths.length, seconds: seconds() }),
    lookEveryMs,
  );
  try {
    // To npm a package is whole that is there in its version, whatever was removed from it.
    if (isPrunedOtherwise)
      for (const folder of removable(root, listed)) rmSync(folder, { recursive: true, force: true });
    await npmInstall(root, whole ? '--include=dev' : '--omit=dev');
    // Maps, texts, and builds for browsers and other machines, which nobody reads here.
    spawnSync(pinnedNode(root), ['--no-warnings', prunePackages, root, '--worked-on'], { stdio: 'ignore' });
  } finally {
    clearInterval(timer);
    progress.end();
  }
  writeFileSync(stampFile(root), `${whole ? 'working' : 'running'} ${fingerprint(root)} ${pruning}`);
  progress.say(`packages installed in ${Math.round(seconds())} s`);
}

/**
 * The folders of all packages but the one whose Node runs this, and npm.
 *
 * @param {string} root
 * @param {{ path: string }[]} listed
 */
export const removable = (root, listed, node = process.execPath) =>
  listed.map(({ path }) => join(root, path)).filter((folder) => !node.startsWith(join(folder, sep)));

/**
 * Whether there are packages for this at all, which may be older than what the project asks for by now: enough for a
 * command that changes what it asks for.
 *
 * @param {string} root
 * @param {Purpose} purpose
 */
export function hasPackages(root, purpose) {
  const installed = existsSync(join(root, 'node_modules', '.package-lock.json'));
  return installed && (purpose === 'running' || areThereForWorking(root, listedPackages(root)));
}

/**
 * @param {boolean} fresh nothing is there yet
 * @param {boolean} complete what runs the platform is
 */
function sayWhy(fresh, complete) {
  if (fresh) return 'installing the packages; this first time takes a minute or more';
  return complete ? 'installing the packages that checks and tests need' : 'the packages changed; updating them';
}

/** @param {string} root */
const stampFile = (root) => join(root, 'node_modules', '.platform-packages');

/**
 * What was installed last by this command.
 *
 * @param {string} root
 */
function readStamp(root) {
  const words = existsSync(stampFile(root)) ? readFileSync(stampFile(root), 'utf8').split(' ') : [];
  const [purpose, fingerprint, pruning] = words;
  return { purpose, fingerprint, pruning };
}

/** Changes with what is removed from packages: by other rules, or for another kind of machine. */
function prunedFor() {
  const machine = `${process.platform} ${process.arch} ${libcHere()}\n`;
  return createHash('sha256').update(machine).update(readFileSync(prunePackages)).digest('hex');
}

/**
 * The packages of the lock file that are for this machine.
 *
 * @param {string} root
 * @returns {{ path: string, isForWorking: boolean }[]}
 */
function listedPackages(root) {
  const file = join(root, 'package-lock.json');
  if (!existsSync(file)) return [];
  return Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages ?? {})
    .filter(([path, { link, os, cpu, libc }]) => {
      if (!path.includes('node_modules/') || link) return false;
      return (
        allows(os, process.platform) && allows(cpu, process.arch) && (libc === undefined || allows(libc, libcHere()))
      );
    })
    .map(([path, { dev = false }]) => ({ path, isForWorking: dev }));
}

/**
 * As npm reads `os` and `cpu`: names, or names with `!` that are excluded.
 *
 * @param {string[] | undefined} names
 * @param {string} here
 */
function allows(names, here) {
  if (names === undefined || names.length === 0) return true;
  if (names.includes(`!${here}`)) return false;
  return names.includes(here) || names.every((name) => name.startsWith('!'));
}

/** The C library of this Linux. */
function libcHere() {
  const { header } = /** @type {{ header: { glibcVersionRuntime?: string } }} */ (process.report.getReport());
  return header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
}

/**
 * @param {string} root
 * @param {ReturnType<typeof listedPackages>} listed
 */
const areThereForWorking = (root, listed) =>
  listed.some(({ path, isForWorking }) => isForWorking && isUnpacked(join(root, path)));

/** @param {string} folder npm makes all folders first, and then unpacks into them */
const isUnpacked = (folder) => existsSync(join(folder, 'package.json'));

/**
 * Changes whenever the lock file or a package.json changes, and when node_modules was copied to another
 * kind of machine.
 *
 * @param {string} root
 */
function fingerprint(root) {
  const { workspaces = [] } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const folders = workspaces.flatMap((/** @type {string} */ pattern) => {
    const parent = join(root, pattern.replace(/\/\*$/, ''));
    if (!pattern.endsWith('/*')) return [parent];
    return existsSync(parent) ? readdirSync(parent).map((name) => join(parent, name)) : [];
  });
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  const files = [root, ...folders.sort()].map((folder) => join(folder, 'package.json'));
  for (const file of [...files, join(root, 'package-lock.json')]) {
    if (existsSync(file)) hash.update(file.slice(root.length)).update('\0').update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * `npm install`, not `npm ci`: a lock file made on one platform may lack another's optional packages. It writes none of the files that are
 * tracked: each release of npm would write the lock file in another way.
 *
 * @param {string} root
 * @param {'--include=dev' | '--omit=dev'} development
 * @returns {Promise<void>}
 */
function npmInstall(root, development) {
  const npm = process.env.npm_execpath;
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const args = [
    'install',
    '--no-save',
    '--no-audit',
    '--no-fund',
    development,
    '--include=optional',
    '--loglevel=error',
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (/** @type {Buffer} */ chunk) => {
      output = (output + chunk.toString()).slice(-4_096);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => reject(new Error(`npm could not be run: ${error.message}`)));
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`npm install failed:\n${output.trim()}`));
    });
  });
}
