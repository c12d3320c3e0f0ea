/**
 * How `nx release` gives an app of this repository a new version, without a plugin: it stands in the package.json of the app, in the lock
 * file, and in what the chart in deploy/helm knows. Nobody depends on a version of an app.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import release from 'nx/release/index.js';

const { VersionActions } = release;

const CHANGED = [
  'package-lock.json',
  'deploy/helm/platform/files/facts.json',
  'deploy/helm/platform/values.schema.json',
];

export default class AppVersion extends VersionActions {
  validManifestFilenames = ['package.json'];

  #manifest() {
    return join(this.projectGraphNode.data.root, 'package.json');
  }

  async readCurrentVersionFromSourceManifest(tree) {
    const manifestPath = this.#manifest();
    const { version } = JSON.parse(tree.read(manifestPath, 'utf8'));
    return { manifestPath, currentVersion: version };
  }

  async readCurrentVersionFromRegistry() {
    return null;
  }

  async readDependencies() {
    return [];
  }

  async readCurrentVersionOfDependency() {
    return { currentVersion: null, dependencyCollection: null };
  }

  async updateProjectVersion(tree, newVersion) {
    const path = this.#manifest();
    tree.write(path, withVersion(tree.read(path, 'utf8'), newVersion));
    return [`${path} has the version ${newVersion}`];
  }

  async updateProjectDependencies() {
    return [];
  }
}

/** @param {string} manifest @param {string} version */
const withVersion = (manifest, version) => manifest.replace(/("version": ")[^"]+/, `$1${version}`);

/** @param {string} cwd @param {{ dryRun?: boolean }} options */
export async function afterAllProjectsVersioned(cwd, { dryRun = false }) {
  if (dryRun) return { changedFiles: [], deletedFiles: [] };
  const lockFile = join(cwd, 'package-lock.json');
  const lock = readFileSync(lockFile, 'utf8').replaceAll(
    /("(apps\/[\w-]+)": \{\s+"name": "[^"]+",\s+"version": ")[^"]+/g,
    (_, before, app) => before + JSON.parse(readFileSync(join(cwd, app, 'package.json'), 'utf8')).version,
  );
  writeFileSync(lockFile, lock);
  execFileSync('npm', ['run', '--silent', 'generate:chart'], { cwd, stdio: 'inherit' });
  return { changedFiles: CHANGED, deletedFiles: [] };
}
