import { join } from 'node:path';
import { localModels, type LocalModels } from '../model-runtime/engines/local-models.ts';
import { miniLmEncoder } from '../passages/engines/minilm-encoder.ts';
import { shippedEncoder } from '../passages/engines/shipped-encoder.ts';
import { hasFfmpeg, hasPocketsphinx } from '../transcription/engines/installed-programs.ts';
import { installedWhisper } from '../transcription/engines/whisper-recogniser.ts';
import type { EngineSettings } from './engine-settings.ts';

/** What `npm run models` has installed: in the folder that is named, else in the home of `npm start`. */
export const modelsOf = ({ MODELS_DIR: folder, PLATFORM_HOME: home }: EngineSettings): LocalModels | undefined =>
  localModels(folder ?? (home === undefined ? undefined : join(home, 'models')));

/** Which engine there is of each kind and what would make it better, for the line at a start. */
export function engineNotice(settings: EngineSettings): string {
  const models = modelsOf(settings);
  return `${embeddingsNotice(settings, models)}; ${speechNotice(settings, models)}`;
}

const install = 'npm run models -- install';

export function embeddingsNotice(settings: EngineSettings, models: LocalModels | undefined): string {
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_MODEL: model } = settings;
  if (baseUrl !== undefined) return `embeddings: ${model} by API`;
  const installed = miniLmEncoder(models)?.model;
  return `embeddings: ${installed ?? `${shippedEncoder.model} (better: ${install})`}`;
}

export function speechNotice(
  { TRANSCRIPTION_BASE_URL: baseUrl, TRANSCRIPTION_MODEL: model }: EngineSettings,
  models: LocalModels | undefined,
  path?: string,
): string {
  if (baseUrl !== undefined) return `speech: ${model} by API`;
  const whisper = installedWhisper(models);
  if (whisper !== undefined)
    return `speech: ${whisper}${hasFfmpeg(path) ? '' : ' without ffmpeg: apt-get install ffmpeg'}`;
  return hasFfmpeg(path) && hasPocketsphinx(path)
    ? `speech: pocketsphinx, poor (better: ${install})`
    : `speech: none (${install}, apt-get install ffmpeg)`;
}
