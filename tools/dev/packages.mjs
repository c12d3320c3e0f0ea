/**
 * Installs the npm packages when they are missing or older than what the project asks for. Plain
 * JavaScript without dependencies: this runs before anything is installed, on any Node >= 18.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearInterval, setInterval } from 'node:timers';

const reportEveryMs = 5_000;

/**
 * @param {string} root the repository
 * @param {(text: string) => void} say
 */
export async function ensurePackages(root, say) {
  if (existsSync(stampFile(root)) && readFileSync(stampFile(root), 'utf8') === fingerprint(root)) return;
  const fresh = !existsSync(join(root, 'node_modules'));
  say(fresh ? 'installing the packages; this first time takes a minute or two' : 'the packages changed; updating them');
  const startedAt = Date.now();
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  const timer = setInterval(() => say(`  ... ${seconds()}, ${countPackages(root)} packages so far`), reportEveryMs);
  try {
    await npmInstall(root);
  } finally {
    clearInterval(timer);
  }
  writeFileSync(stampFile(root), fingerprint(root));
  say(`packages installed in ${seconds()}`);
}

/** @param {string} root */
const stampFile = (root) => join(root, 'node_modules', '.platform-packages');

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

/** @param {string} root */
function countPackages(root) {
  const modules = join(root, 'node_modules');
  if (!existsSync(modules)) return 0;
  return readdirSync(modules)
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)) : [name]))
    .filter((name) => !name.startsWith('.')).length;
}

/**
 * `npm install`, not `npm ci`: a lock file made on one platform may lack another's optional packages.
 *
 * @param {string} root
 * @returns {Promise<void>}
 */
function npmInstall(root) {
  const npm = process.env.npm_execpath;
  const [command, first] = npm === undefined ? ['npm', []] : [process.execPath, [npm]];
  const args = ['install', '--no-audit', '--no-fund', '--include=dev', '--include=optional', '--loglevel=error'];
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
