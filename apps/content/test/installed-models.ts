import type { Lack } from '@platform-backend/testing/where';
import { join } from 'node:path';
import { localModels, type LocalModels } from '../src/model-runtime/models/local-models.ts';

const repository = join(import.meta.dirname, '../../..');

/** Where tests look for what `npm run models` installs: `MODELS_DIR`, else a cache that `.ci/run` fills. */
const directory = process.env['MODELS_DIR'] ?? join(repository, 'node_modules/.cache/models');

/** The models among which there is the one that a test needs. */
export function installedModel(name: string): { readonly models: LocalModels | undefined; readonly lack: Lack } {
  const models = localModels(directory);
  return models?.has(name)
    ? { models, lack: undefined }
    : { models: undefined, lack: `the model ${name} is not installed` };
}
