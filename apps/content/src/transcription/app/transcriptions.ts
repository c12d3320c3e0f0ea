import {
  fairSemaphore,
  newId,
  type ActorContext,
  type Clock,
  type FairSemaphore,
  type Page,
  type PageRequest,
  type SemaphoreLimits,
} from '@platform-backend/core';
import { reserveCredits, type ReservedCredits } from '../../credits/app/reserved-credits.ts';
import type { Credits, DebitCreated, Payer } from '../../credits/domain/credits.ts';
import type { SpeechRecogniser } from '../domain/speech.ts';
import {
  changeTranscription,
  deleteTranscription,
  finishTranscription,
  seenBy,
  seesAll,
  transcriptionOf,
  type ChangeTranscription,
  type Transcription,
} from '../domain/transcription.ts';
import type { ReceiveRecording, Transcriptions } from '../domain/transcriptions.ts';

export interface TranscriptionPorts {
  readonly transcriptions: Transcriptions;
  readonly receiveRecording: ReceiveRecording;
  readonly recogniser: SpeechRecogniser;
  /** Who recognise at once. */
  readonly recognising: FairSemaphore;
  /** What a second of sound costs. */
  readonly microsPerSecond: bigint;
  readonly credits: Pick<Credits, 'reserve'>;
  readonly clock: Clock;
}

export interface TranscribeRequest {
  readonly filename: string;
  readonly language: string | undefined;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export type TranscriptionUseCases = ReturnType<typeof transcriptionUseCases>;

/** Recordings that come in at once; each has up to 25 MiB on the disk until it is recognised. */
const receivingLimits: SemaphoreLimits = {
  slots: 16,
  share: 4,
  maxWaiting: 8,
  maxWaitingInAll: 64,
  timeoutMs: 10_000,
};

/** Organisations take turns at the recogniser, with their jobs as well as with what they wait for. */
export const recognitionSlots = ({ slots }: Pick<SpeechRecogniser, 'slots'>): FairSemaphore =>
  fairSemaphore({
    slots,
    share: Math.ceil(slots / 2),
    maxWaiting: 4,
    maxWaitingInAll: 32,
    timeoutMs: 60_000,
  });

export function transcriptionUseCases(ports: TranscriptionPorts) {
  const { transcriptions, receiveRecording, recogniser, recognising, clock } = ports;
  const receiving = fairSemaphore(receivingLimits);

  return {
    /**
     * Recognises a recording and keeps what was said, with what that costs; it costs nothing where it fails. NOT_PROVIDED: nobody can recognise
     * anything here, whatever credits there are.
     */
    async transcribe(by: Payer, { filename, language, bytes }: TranscribeRequest, signal: AbortSignal) {
      const { organisationId } = by;
      const recording = await receiving.run('tenants', organisationId, () => receiveRecording(bytes));
      try {
        recogniser.requireInstalled();
        return await recognising.run('tenants', organisationId, () =>
          paidFor(ports, by, async ({ reserve, debits }) => {
            const heard = await recogniser.transcribe(recording, { language, signal, begin: reserve });
            const userId = by.actor.userId ?? by.actor.id;
            const made = { id: newId(), filename, engine: recogniser.engine, userId };
            const transcription = transcriptionOf(heard, made, clock.now());
            const owed = debits(transcription);
            return transcriptions.update(by, transcription.id, () => finishTranscription(transcription, owed));
          }),
        );
      } finally {
        await recording.remove();
      }
    },

    /** Newest or oldest first; below level ADMIN the caller's own ones. */
    listTranscriptions: (
      { organisationId, actor }: ActorContext,
      wanted: PageRequest & { readonly order: 'asc' | 'desc' },
    ): Promise<Page<Transcription>> =>
      transcriptions.list(organisationId, { ...wanted, userId: seesAll(actor) ? null : (actor.userId ?? actor.id) }),

    getTranscription: async ({ organisationId, actor }: ActorContext, id: string): Promise<Transcription> =>
      seenBy(await transcriptions.find(organisationId, id), actor),

    updateTranscription: (by: ActorContext, id: string, wanted: ChangeTranscription): Promise<Transcription> =>
      transcriptions.update(by, id, (found) =>
        changeTranscription(found, wanted, { actor: by.actor, at: clock.now() }),
      ),

    deleteTranscription: (by: ActorContext, id: string): Promise<Transcription> =>
      transcriptions.update(by, id, (found) => deleteTranscription(found, by.actor, clock.now())),
  };
}

/** What a transcription that is being made may ask of credits. */
interface Payment {
  /** Sets aside what so many seconds cost. PAYMENT_REQUIRED: there are too few. */
  readonly reserve: (seconds: number) => Promise<void>;
  /** What it has cost, to be stored with it. */
  readonly debits: (transcription: Transcription) => readonly DebitCreated[];
}

/** Runs work that sets credits aside by the seconds of a sound, and gives them back where it fails. */
async function paidFor(
  { credits, microsPerSecond, clock }: TranscriptionPorts,
  payer: Payer,
  work: (payment: Payment) => Promise<Transcription>,
): Promise<Transcription> {
  let reserved: ReservedCredits | undefined;
  const costOf = (seconds: number): bigint => BigInt(Math.max(1, Math.ceil(seconds))) * microsPerSecond;
  const debitId = newId();
  try {
    return await work({
      async reserve(seconds) {
        reserved = await reserveCredits(credits, payer, costOf(seconds));
      },
      debits: ({ id, seconds }) =>
        reserved?.debit({ debitId, workId: id, micros: costOf(seconds), at: clock.now() }) ?? [],
    });
  } catch (error) {
    await reserved?.release();
    throw error;
  }
}
