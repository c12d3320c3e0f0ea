import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

/** What `npm run models` has installed, in a folder of its own. */
export interface LocalModels {
  readonly directory: string;
  /** The library that runs them. */
  readonly library: string;
  /** Names of the models whose weights are there. */
  readonly has: (model: string) => boolean;
}

const library = '@huggingface/transformers';

/** The models of a folder; undefined where nothing can run them. */
export function localModels(folder: string | undefined): LocalModels | undefined {
  if (folder === undefined) return undefined;
  const directory = resolve(folder);
  try {
    return {
      directory,
      library: createRequire(join(directory, 'package.json')).resolve(library),
      // The tool writes it last.
      has: (model) => existsSync(join(directory, model, 'config.json')),
    };
  } catch {
    return undefined;
  }
}
