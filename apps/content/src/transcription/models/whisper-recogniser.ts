import type { Logger } from '@platform-backend/core';
import { join } from 'node:path';
import type { LocalModelOptions, LocalModels } from '../../model-runtime/models/local-models.ts';
import { modelProcess } from '../../model-runtime/models/model-process.ts';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import { requireEnglish, type SpeechRecogniser, type SpokenSegment } from '../domain/speech.ts';
import { decodeSound } from './decode-sound.ts';
import { requireFfmpeg } from './installed-programs.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** Raw samples in a file. */
export interface WhisperTask {
  readonly path: string;
  readonly language: string | undefined;
}

export interface WhisperAnswer {
  readonly segments: readonly SpokenSegment[];
  readonly language: string | undefined;
}

/** Best first. */
const knownModels = [
  'whisper-large-v3-turbo',
  'whisper-medium',
  'whisper-small',
  'whisper-base',
  'whisper-tiny',
  'whisper-medium.en',
  'whisper-small.en',
  'whisper-base.en',
  'whisper-tiny.en',
];

/** The best Whisper that is installed; undefined where none is. */
export const installedWhisper = (models: LocalModels | undefined): string | undefined =>
  knownModels.find((name) => models?.has(name));

export interface LocalRecogniser extends SpeechRecogniser {
  readonly close: () => Promise<void>;
}

/** Whisper in a process of its own, one sound after the other. */
export function whisperRecogniser(
  run: RunProgram,
  models: LocalModels,
  model: string,
  maxSeconds: number,
  logger: Pick<Logger, 'warn'>,
): LocalRecogniser {
  const { library, directory } = models;
  const processes = modelProcess<WhisperTask, WhisperAnswer>({
    module: new URL('whisper-process.ts', import.meta.url),
    options: { library, directory, model } satisfies LocalModelOptions,
    processes: 1,
    timeoutMs: 30 * 60_000,
    idleMs: 300_000,
    memoryMiB: 3072,
    logger,
  });
  return {
    engine: model,
    slots: 1,
    requireInstalled: requireFfmpeg,
    transcribe: (sound, { language, signal, begin } = {}) =>
      inScratchFolder(async (folder) => {
        if (model.endsWith('.en')) requireEnglish(language);
        const path = join(folder, 'samples');
        const seconds = await decodeSound(run, sound, path, { as: 's16le', maxSeconds, signal });
        await begin?.(seconds);
        const heard = await processes.run({ path, language }, signal);
        const text = heard.segments.map((segment) => segment.text).join(' ');
        return { text, seconds, language: heard.language, segments: heard.segments };
      }),
    close: () => processes.close(),
  };
}
