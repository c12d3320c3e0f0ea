import {
  changedFields,
  decided,
  deleted,
  includesLevel,
  unchanged,
  type Actor,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import type { DebitCreated } from '../../credits/domain/credits.ts';
import type { ContentEvent } from '../../events.ts';
import { transcriptionNotFound } from './errors.ts';
import type { RecognisedSpeech, SpokenSegment } from './speech.ts';

/** What was said in a recording. The recording itself is not kept. */
export interface Transcription {
  readonly id: string;
  /** As the client named the file; empty when it did not. */
  readonly filename: string;
  /** What people call it. */
  readonly name: string;
  readonly text: string;
  /** Somebody has changed the text. */
  readonly corrected: boolean;
  /** As they were recognised, whatever became of the text. */
  readonly segments: readonly SpokenSegment[];
  /** ISO 639-1; null where it is not known. */
  readonly language: string | null;
  readonly seconds: number;
  readonly engine: string;
  /** Whose it is. */
  readonly userId: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A recording of four hours has fewer. */
const MAX_SEGMENTS = 10_000;

/** What a recogniser has heard, as it is kept. */
export const transcriptionOf = (
  { text, seconds, language, segments }: RecognisedSpeech,
  made: Pick<Transcription, 'id' | 'filename' | 'engine' | 'userId'>,
  at: Date,
): Transcription => ({
  ...made,
  name: made.filename,
  text,
  corrected: false,
  segments: segments.slice(0, MAX_SEGMENTS),
  language: language ?? null,
  seconds: Math.round(seconds * 1000) / 1000,
  createdAt: at,
  updatedAt: at,
});

export const finishTranscription = (
  transcription: Transcription,
  debits: readonly DebitCreated[] = [],
): Decision<Transcription, ContentEvent> =>
  decided(transcription, [
    {
      name: 'transcription.finished',
      subject: transcription.id,
      at: transcription.createdAt,
      data: {
        transcription_id: transcription.id,
        duration_seconds: transcription.seconds,
        language: transcription.language,
        engine: transcription.engine,
      },
      change: { before: null, after: shown(transcription) },
    },
    ...debits,
  ]);

export type ChangeTranscription = Partial<Pick<Transcription, 'name' | 'text'>>;

/** Changes the fields given; the same values again change nothing. NOT_FOUND: there is none, or it is somebody else's. */
export function changeTranscription(
  transcription: Transcription | undefined,
  wanted: ChangeTranscription,
  { actor, at }: { readonly actor: Actor; readonly at: Date },
): Decision<Transcription, ContentEvent> {
  const found = seenBy(transcription, actor);
  const { name = found.name, text = found.text } = wanted;
  const changed = Object.keys(changedFields({ name: found.name, text: found.text }, { name, text }).after);
  if (changed.length === 0) return unchanged(found);
  const next: Transcription = {
    ...found,
    name,
    text,
    corrected: found.corrected || text !== found.text,
    updatedAt: at,
  };
  return decided(next, {
    name: 'transcription.updated',
    subject: next.id,
    at,
    data: { transcription_id: next.id, name, changed_fields: changed },
    change: changedFields(shown(found), shown(next)),
  });
}

/** NOT_FOUND: there is none, or it is somebody else's. */
export function deleteTranscription(
  transcription: Transcription | undefined,
  actor: Actor,
  at: Date,
): Decision<undefined, ContentEvent, Transcription> {
  return removeTranscription(seenBy(transcription, actor), at);
}

/** The same, whoever wants it. */
export const removeTranscription = (found: Transcription, at: Date): Decision<undefined, ContentEvent, Transcription> =>
  deleted('transcription.deleted', found, at, { transcription_id: found.id }, shown(found));

/** Below level ADMIN everybody sees their own ones alone. */
export const seesAll = ({ level }: Actor): boolean => includesLevel(level, 'ADMIN');

/** NOT_FOUND: there is none, or it is somebody else's. */
export function seenBy(transcription: Transcription | undefined, actor: Actor): Transcription {
  if (!transcription || (transcription.userId !== actor.userId && !seesAll(actor))) throw transcriptionNotFound();
  return transcription;
}

/** What the audit log shows of it. */
const shown = ({ filename, name, text, seconds, engine, corrected }: Transcription): Fields => ({
  filename,
  name,
  text_length: text.length,
  corrected,
  duration_seconds: seconds,
  engine,
});
