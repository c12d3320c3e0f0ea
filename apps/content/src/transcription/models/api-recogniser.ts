import { DomainError, upstreamFailed } from '@platform-backend/core';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isWrongModel, openAiClient, statusOf, type ApiOptions } from '../../model-runtime/models/openai-client.ts';
import type { RunProgram } from '../../sandbox/models/run-program.ts';
import { recordingRefused } from '../domain/errors.ts';
import type { SoundFile, SpeechRecogniser } from '../domain/speech.ts';
import { decodeSound } from './decode-sound.ts';
import { inScratchFolder } from './scratch-folder.ts';

/** What the answer may have; servers differ. */
interface ApiAnswer {
  readonly text?: unknown;
  readonly duration?: number | string;
  readonly language?: string;
  readonly usage?: { readonly seconds?: number };
  readonly segments?: readonly { readonly start: number; readonly end: number; readonly text: string }[];
}

/** What a server answers that does not take what it is sent, however often. */
const REFUSES_RECORDING: ReadonlySet<number> = new Set([400, 413, 415, 422]);

const extensions: Readonly<Record<SoundFile['mediaType'], string>> = {
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'audio/webm': 'webm',
};

/** A server that speaks OpenAI's protocol. */
export function apiRecogniser(
  run: RunProgram,
  options: ApiOptions,
  maxSeconds: number,
  { timeoutMs = 10 * 60_000 } = {},
): SpeechRecogniser {
  const client = openAiClient(options, timeoutMs);
  // Times and language come only with this form, which the newer models of OpenAI's own refuse.
  const format = options.model.startsWith('gpt-') ? 'json' : 'verbose_json';
  return {
    engine: options.model,
    slots: 4,
    // Without ffmpeg the length of a sound is guessed.
    requireInstalled: () => undefined,
    async transcribe(sound, { language, signal, begin } = {}) {
      const measured = await lengthOf(run, sound, maxSeconds, signal);
      await begin?.(measured ?? (await guessedSeconds(sound.path)));
      const file = new File([await openAsBlob(sound.path)], `sound.${extensions[sound.mediaType]}`, {
        type: sound.mediaType,
      });
      const form = new FormData();
      form.append('file', file);
      form.append('model', options.model);
      form.append('response_format', format);
      if (language !== undefined) form.append('language', language);
      const said = await client.postForm('audio/transcriptions', form, signal).catch((error: unknown) => {
        // Of the recording, which stays what it is; of a wrong key or model the recording knows nothing.
        const isRefused = REFUSES_RECORDING.has(statusOf(error) ?? 0) && !isWrongModel(error);
        throw isRefused ? recordingRefused({ cause: error }) : error;
      });
      const answer = said as ApiAnswer | null;
      if (typeof answer?.text !== 'string') throw upstreamFailed(new Error('the answer has no text'));
      return {
        text: answer.text.trim(),
        seconds: measured ?? secondsIn(answer) ?? (await guessedSeconds(sound.path)),
        language: codeOf(answer.language) ?? language,
        segments: (answer.segments ?? []).map(({ start, end, text }) => ({ start, end, text: text.trim() })),
      };
    },
  };
}

/** Measured here where that is possible: what is longer than it may be is not sent, and the length is what is paid for. */
const lengthOf = (run: RunProgram, sound: SoundFile, maxSeconds: number, signal: AbortSignal | undefined) =>
  inScratchFolder((folder) =>
    decodeSound(run, sound, join(folder, 'sound'), { as: 's16le', maxSeconds, signal }),
  ).catch((error: unknown) => {
    if (error instanceof DomainError && error.code === 'transcription_not_installed') return undefined;
    throw error;
  });

function secondsIn({ duration, usage }: ApiAnswer): number | undefined {
  const seconds = Number(duration ?? usage?.seconds);
  return seconds > 0 && seconds < Infinity ? seconds : undefined;
}

/** At 4 KB a second, which is less than most recordings have. */
const guessedSeconds = async (path: string): Promise<number> => (await stat(path)).size / 4_000;

/** OpenAI's own answer with the English name of the language. */
function codeOf(language: string | undefined): string | undefined {
  if (language === undefined || /^[a-z]{2}$/.test(language)) return language;
  return languages.find((code) => names.of(code)?.toLowerCase() === language.toLowerCase());
}

const names = new Intl.DisplayNames('en', { type: 'language' });

/** What Whisper knows and has a code of two letters. */
const languages =
  'af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha he hi hr ht hu hy id is it ja ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo zh'.split(
    ' ',
  );
