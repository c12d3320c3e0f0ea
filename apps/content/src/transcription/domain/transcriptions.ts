import type { ActorContext, Decision, Page, PageRequest } from '@platform-backend/core';
import type { OlderThan } from '../../documents/domain/documents.ts';
import type { ContentEvent } from '../../events.ts';
import type { SoundFile } from './speech.ts';
import type { Transcription } from './transcription.ts';

export interface TranscriptionList extends PageRequest {
  readonly order: 'asc' | 'desc';
  /** Of one user; null: everybody's. */
  readonly userId: string | null;
}

/** The transcriptions of organisations. */
export interface Transcriptions {
  readonly find: (organisationId: string, id: string) => Promise<Transcription | undefined>;
  /** Without their segments. */
  readonly list: (organisationId: string, wanted: TranscriptionList) => Promise<Page<Transcription>>;
  /** Those that are older, without texts and segments; the oldest first. */
  readonly olderThan: (
    organisationId: string,
    wanted: OlderThan,
    page: PageRequest,
  ) => Promise<Page<Pick<Transcription, 'id'>>>;
  /** Loads, decides and saves, with the events. */
  readonly update: <Result>(
    by: ActorContext,
    id: string,
    decide: (transcription: Transcription | undefined) => Decision<Transcription | undefined, ContentEvent, Result>,
  ) => Promise<Result>;
  /** All of an organisation's, without events of their own. */
  readonly removeAll: (organisationId: string) => Promise<unknown>;
}

/** A recording that has come whole. */
export interface Recording extends SoundFile {
  /** Its bytes go; to be called once the work is done, however it ended. */
  readonly remove: () => Promise<void>;
}

/** UNSUPPORTED_MEDIA: the bytes are no sound that we read. */
export type ReceiveRecording = (bytes: AsyncIterable<Uint8Array>) => Promise<Recording>;
