import type { Logger } from '@platform-backend/core';
import type { LocalModels } from '../../model-runtime/models/local-models.ts';
import { INSTALL, nothingToClose, type SelectedModel } from '../../model-runtime/models/selected-model.ts';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import type { SpeechRecogniser } from '../domain/speech.ts';
import { hasFfmpeg, hasPocketsphinx } from './installed-programs.ts';
import { pocketsphinxRecogniser } from './pocketsphinx-recogniser.ts';
import { installedWhisper, whisperRecogniser } from './whisper-recogniser.ts';

export interface RecogniserChoice {
  readonly TRANSCRIPTION_BASE_URL: string | undefined;
  readonly TRANSCRIPTION_API_KEY: string | undefined;
  readonly TRANSCRIPTION_MODEL: string;
  readonly TRANSCRIPTION_MAX_SECONDS: number;
}

/** The best that there is: an API by configuration, a Whisper that was installed, else Debian's pocketsphinx. */
export async function openRecogniser(
  choice: RecogniserChoice,
  models: LocalModels | undefined,
  run: RunProgram,
  logger: Pick<Logger, 'warn'>,
): Promise<SelectedModel<SpeechRecogniser>> {
  const notice = speechNotice(choice, models);
  const { TRANSCRIPTION_BASE_URL: baseUrl, TRANSCRIPTION_API_KEY: apiKey, TRANSCRIPTION_MODEL: model } = choice;
  const { TRANSCRIPTION_MAX_SECONDS: maxSeconds } = choice;
  if (baseUrl !== undefined) {
    const { apiRecogniser } = await import('./api-recogniser.ts');
    return { model: apiRecogniser(run, { baseUrl, apiKey, model }, maxSeconds), notice, ...nothingToClose };
  }
  const whisper = installedWhisper(models);
  if (!models || whisper === undefined)
    return { model: pocketsphinxRecogniser(run, maxSeconds), notice, ...nothingToClose };
  const local = whisperRecogniser(run, models, whisper, maxSeconds, logger);
  return { model: local, notice, close: local.close };
}

/** Which model there is and what would make it better, for the line at a start. */
export function speechNotice(
  { TRANSCRIPTION_BASE_URL: baseUrl, TRANSCRIPTION_MODEL: model }: RecogniserChoice,
  models: LocalModels | undefined,
  path?: string,
): string {
  if (baseUrl !== undefined) return `speech: ${model} by API`;
  const whisper = installedWhisper(models);
  if (whisper !== undefined)
    return `speech: ${whisper}${hasFfmpeg(path) ? '' : ' without ffmpeg: apt-get install ffmpeg'}`;
  return hasFfmpeg(path) && hasPocketsphinx(path)
    ? `speech: pocketsphinx, poor (better: ${INSTALL})`
    : `speech: none (${INSTALL}, apt-get install ffmpeg)`;
}
