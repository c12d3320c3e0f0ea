/** Finds the Node that the project is pinned to, which the npm package `node` brings. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const major = 24;

/**
 * @param {string} root the repository
 * @returns {string} the path of a Node 24
 */
export function pinnedNode(root) {
  const modules = join(root, 'node_modules');
  const candidates = [
    join(modules, 'node', 'bin', 'node'),
    join(modules, 'node', 'bin', 'node.exe'),
    join(modules, 'node', 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node'),
    join(modules, `node-${process.platform}-${process.arch}`, 'bin', 'node'),
  ];
  const found = () => candidates.find((path) => existsSync(path) && isRightVersion(path));
  const node = found() ?? (isRightVersion(process.execPath) ? process.execPath : undefined);
  if (node !== undefined) return node;
  // Where npm blocks install scripts the package lies there without its program: do its step ourselves.
  spawnSync(process.execPath, ['installArchSpecificPackage'], { cwd: join(modules, 'node'), stdio: 'ignore' });
  const repaired = found();
  if (repaired !== undefined) return repaired;
  throw new Error(`Node ${major} is missing from node_modules; remove node_modules and run the command again.`);
}

/** @param {string} path */
function isRightVersion(path) {
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  return typeof stdout === 'string' && stdout.startsWith(`v${major}.`);
}
