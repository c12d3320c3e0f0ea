import { invalid } from '@platform-backend/core';

/** A file whose bytes are sound of one of the kinds that we read. */
export interface SoundFile {
  readonly path: string;
  readonly mediaType: SoundType;
}

export type SoundType = 'audio/flac' | 'audio/mp4' | 'audio/mpeg' | 'audio/ogg' | 'audio/wav' | 'audio/webm';

export interface SpokenSegment {
  /** Seconds from the beginning of the sound. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export interface RecognisedSpeech {
  /** Empty where nobody speaks. */
  readonly text: string;
  /** How long the sound is. */
  readonly seconds: number;
  /** ISO 639-1, where the recogniser tells or was told. */
  readonly language?: string | undefined;
  /** Empty where the recogniser tells no times. */
  readonly segments: readonly SpokenSegment[];
}

export interface RecogniseOptions {
  /** ISO 639-1: what is spoken, where it is known. */
  readonly language?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Awaited as soon as it is known how long the sound is, before the work that costs; what it throws ends the call. */
  readonly begin?: ((seconds: number) => Promise<void>) | undefined;
}

/** INVALID: another language than the only one that the recogniser knows. */
export function requireEnglish(language: string | undefined): void {
  if (language === undefined || language === 'en') return;
  const msg = "Input should be 'en': the recogniser that is installed knows English alone";
  throw invalid([{ type: 'enum', loc: ['body', 'language'], msg, input: language, ctx: { expected: "'en'" } }]);
}

export interface SpeechRecogniser {
  /** Named with every answer. */
  readonly engine: string;
  /** How many sounds it works on at once; the others have to wait for their turn. */
  readonly slots: number;
  /** NOT_PROVIDED: what it cannot do without is not installed. Asked before anybody pays. */
  requireInstalled(): void;
  /**
   * MALFORMED: the sound cannot be decoded; TOO_LARGE: it is longer than it may be; UNAVAILABLE: the recogniser is away;
   * NOT_PROVIDED: it is not installed; INVALID: it does not know the language; UPSTREAM_FAILED: it failed.
   */
  transcribe(sound: SoundFile, options?: RecogniseOptions): Promise<RecognisedSpeech>;
}
