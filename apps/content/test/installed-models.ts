import { join } from 'node:path';
import { localModels, type LocalModels } from '../src/engines/local-models.ts';

const repository = join(import.meta.dirname, '../../..');

/** Where tests look for what `npm run models` installs: `MODELS_DIR`, else a cache that `.ci/run` fills. */
const directory = process.env['MODELS_DIR'] ?? join(repository, 'node_modules/.cache/models');

/** The model for tests that need it; null where it is not installed, which is said. */
export function installedModel(name: string): LocalModels | null {
  const models = localModels(directory);
  if (models?.has(name)) return models;
  process.stderr.write(`${name} is not installed in ${directory}: the tests that need it are left out.\n`);
  return null;
}
