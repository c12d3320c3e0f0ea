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

/** What the process of a model is told at its start. */
export type LocalModelOptions = Pick<LocalModels, 'directory' | 'library'> & { readonly model: string };

const library = '@huggingface/transformers';

/** Where models are: in the folder that is named, else in the home of `npm start`. */
export interface ModelFolders {
  readonly MODELS_DIR: string | undefined;
  readonly PLATFORM_HOME: string | undefined;
}

export const installedModels = ({ MODELS_DIR: folder, PLATFORM_HOME: home }: ModelFolders): LocalModels | undefined =>
  localModels(folder ?? (home === undefined ? undefined : join(home, 'models')));

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
