import { invalid } from '@platform-backend/core';
import type { Payer } from '../../credits/domain/credits.ts';
import type { TranscriptionUseCases } from '../../transcription/app/transcriptions.ts';
import type { Transcription } from '../../transcription/domain/transcription.ts';
import { modelUnknown } from '../domain/errors.ts';
import { unsupportedParameter, unsupportedValue } from '../domain/violations.ts';

export interface AudioPorts {
  readonly transcribe: TranscriptionUseCases['transcribe'];
  /** What the recogniser is called; undefined where none is installed. */
  readonly engine: string | undefined;
}

export interface AudioInput {
  readonly model: string;
  readonly filename: string;
  readonly content: Uint8Array;
  readonly language: string;
  readonly prompt: string;
  readonly responseFormat: string;
  readonly temperature: number;
  readonly stream: boolean;
}

export type AudioUseCases = ReturnType<typeof audioUseCases>;

/** What clients send who know no other. */
const ANY_RECOGNISER = 'whisper-1';

const FORMATS: ReadonlySet<string> = new Set(['json', 'text', 'srt', 'verbose_json', 'vtt']);

export const audioUseCases = ({ transcribe, engine }: AudioPorts) => ({
  /** Recognises a recording and keeps what was said. NOT_FOUND: another recogniser. INVALID: something that nothing here follows. */
  async transcribeAudio(by: Payer, input: AudioInput, signal: AbortSignal): Promise<Transcription> {
    const { model, filename, content, language, prompt, responseFormat, temperature, stream } = input;
    const wrong = [
      ...(prompt === '' ? [] : [unsupportedParameter('prompt', 'Recognisers here follow none: leave it out')]),
      ...(FORMATS.has(responseFormat)
        ? []
        : [unsupportedValue('response_format', "It should be 'json', 'text', 'srt', 'verbose_json' or 'vtt'")]),
      ...(temperature === 0 ? [] : [unsupportedValue('temperature', 'Nothing is chosen at random: leave it out')]),
      ...(stream ? [unsupportedParameter('stream', 'The text comes as a whole: leave it out')] : []),
    ];
    if (wrong.length > 0) throw invalid(wrong);
    if (model !== ANY_RECOGNISER && model !== engine) throw modelUnknown();
    return transcribe(by, { filename, language: language || undefined, bytes: inOnePiece(content) }, signal);
  },
});

async function* inOnePiece(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(content);
}
