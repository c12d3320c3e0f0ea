import type { Logger } from '@platform-backend/core';
import type { Embeddings } from '../passages/domain/embeddings.ts';
import { apiEmbeddings } from '../passages/engines/api-embeddings.ts';
import { localEmbeddings } from '../passages/engines/local-embeddings.ts';
import { miniLmEncoder } from '../passages/engines/minilm-encoder.ts';
import { shippedEncoder } from '../passages/engines/shipped-encoder.ts';
import type { SpeechRecogniser } from '../transcription/domain/speech.ts';
import { apiRecogniser } from '../transcription/engines/api-recogniser.ts';
import { pocketsphinxRecogniser } from '../transcription/engines/pocketsphinx-recogniser.ts';
import { installedWhisper, whisperRecogniser } from '../transcription/engines/whisper-recogniser.ts';
import { embeddingsNotice, modelsOf, speechNotice } from './engine-notices.ts';
import type { EngineSettings } from './engine-settings.ts';

export type { EngineSettings } from './engine-settings.ts';

/** An engine, and what whoever starts the service should know of it. */
export interface SelectedEngine<Engine> {
  readonly engine: Engine;
  /** Which it is, and what would make it better. */
  readonly notice: string;
  readonly close: () => Promise<void>;
}

const nothingToClose = { close: () => Promise.resolve() };

/** The best that there is: an API by configuration, a model that was installed, else what comes with its package. */
export function openEmbeddings(settings: EngineSettings, logger: Pick<Logger, 'warn'>): SelectedEngine<Embeddings> {
  const models = modelsOf(settings);
  const notice = embeddingsNotice(settings, models);
  const { EMBEDDINGS_BASE_URL: baseUrl, EMBEDDINGS_API_KEY: apiKey, EMBEDDINGS_MODEL: model } = settings;
  if (baseUrl !== undefined) return { engine: apiEmbeddings({ baseUrl, apiKey, model }), notice, ...nothingToClose };
  const engine = localEmbeddings(miniLmEncoder(models) ?? shippedEncoder, logger);
  return { engine, notice, close: engine.close };
}

/** The best that there is: an API by configuration, a Whisper that was installed, else Debian's pocketsphinx. */
export function openRecogniser(
  settings: EngineSettings,
  logger: Pick<Logger, 'warn'>,
): SelectedEngine<SpeechRecogniser> {
  const models = modelsOf(settings);
  const notice = speechNotice(settings, models);
  const { TRANSCRIPTION_BASE_URL: baseUrl, TRANSCRIPTION_API_KEY: apiKey, TRANSCRIPTION_MODEL: model } = settings;
  const { TRANSCRIPTION_MAX_SECONDS: maxSeconds } = settings;
  if (baseUrl !== undefined) {
    return { engine: apiRecogniser({ baseUrl, apiKey, model }, maxSeconds), notice, ...nothingToClose };
  }
  const whisper = installedWhisper(models);
  if (!models || whisper === undefined)
    return { engine: pocketsphinxRecogniser(maxSeconds), notice, ...nothingToClose };
  const engine = whisperRecogniser(models, whisper, maxSeconds, logger);
  return { engine, notice, close: engine.close };
}
