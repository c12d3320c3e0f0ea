import type { SoundFile } from './speech.ts';

/** A part of a long recording, cut where it is quiet; the file is there until the next one is asked for. */
export interface RecordingPiece {
  readonly sound: SoundFile;
  /** Seconds from the beginning of the recording. */
  readonly from: number;
  readonly to: number;
}

/** What is done with recordings of hours, of which nobody ever holds all. */
export interface LongRecordings {
  /** NOT_PROVIDED: what decodes them is not installed. */
  readonly requireInstalled: () => void;
  /** Its length in seconds. UNSUPPORTED_MEDIA: no sound that we read; MALFORMED: damaged; TOO_LARGE: longer than it may be. */
  readonly measure: (
    path: string,
    options: { readonly maxSeconds: number; readonly signal: AbortSignal },
  ) => Promise<number>;
  /** Some minutes of it, piece after piece, from there on. */
  readonly pieces: (
    path: string,
    options: { readonly from: number; readonly total: number; readonly signal: AbortSignal },
  ) => AsyncIterable<RecordingPiece>;
}
