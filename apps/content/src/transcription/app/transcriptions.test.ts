import { describe, expect, it } from '@jest/globals';
import { notProvided, paymentRequired, upstreamFailed, type ActorContext } from '@platform-backend/core';
import type { Credits, DebitCreated } from '../../credits/domain/credits.ts';
import type { ContentEvent } from '../../events.ts';
import type { SpeechRecogniser } from '../domain/speech.ts';
import type { Transcription } from '../domain/transcription.ts';
import { recognitionSlots, transcriptionUseCases } from './transcriptions.ts';

const by: ActorContext = {
  organisationId: 'org_1',
  actor: { type: 'user', id: 'user-1', name: 'Ada', userId: 'user-1', level: 'VIEWER' },
  requestId: 'request-1',
};

/** As the client of billing makes it. */
const debitOf = ({ debitId, workId, micros }: Record<'debitId' | 'workId' | 'micros', string>, at: Date) => ({
  name: 'debit.created' as const,
  subject: debitId,
  at,
  data: {
    debit_id: debitId,
    reservation_id: 'reservation-1',
    amount_micros: micros,
    credit_class: 'AI',
    purpose: 'transcription',
    work_id: workId,
    client_group_id: null,
    api_key_id: null,
    member_id: null,
    occurred_at: at.toISOString(),
  },
});

const isDebit = (event: ContentEvent): event is DebitCreated => event.name === 'debit.created';

interface Given {
  readonly recognise?: SpeechRecogniser['transcribe'];
  readonly reserve?: Credits['reserve'];
  readonly slots?: number;
  readonly isInstalled?: boolean;
}

/** The use cases with parts that write down what happens. */
function transcribing({ recognise, reserve, slots = 1, isInstalled = true }: Given = {}) {
  const log: string[] = [];
  const saved: Transcription[] = [];
  const app = transcriptionUseCases({
    transcriptions: {
      find: () => Promise.resolve(undefined),
      list: () => Promise.resolve({ items: [], nextCursor: '' }),
      olderThan: () => Promise.resolve({ items: [], nextCursor: '' }),
      update: (_by, _id, decide) => {
        const { state, events, result } = decide(undefined);
        if (state) saved.push(state);
        log.push('kept', ...events.filter(isDebit).map(({ data }) => `owed ${data.amount_micros} by ${data.work_id}`));
        return Promise.resolve(result);
      },
      removeAll: () => Promise.resolve(),
    },
    receiveRecording: () =>
      Promise.resolve({
        path: '/tmp/recording',
        mediaType: 'audio/wav' as const,
        remove: () => Promise.resolve(void log.push('recording removed')),
      }),
    recognising: recognitionSlots({ slots }),
    recogniser: {
      engine: 'ear',
      slots,
      requireInstalled() {
        if (!isInstalled) throw notProvided('transcription_not_installed', 'no ear');
      },
      transcribe:
        recognise ??
        (async (_sound, { begin } = {}) => {
          await begin?.(2.5);
          log.push('recognised');
          return { text: 'Hello.', seconds: 2.5, language: 'en', segments: [] };
        }),
    },
    credits: {
      reserve:
        reserve ??
        ((_payer, reserved) => {
          log.push(`reserved ${reserved}`);
          return Promise.resolve({
            id: 'reservation-1',
            debit: ({ micros, at, ...spent }) => debitOf({ ...spent, micros: String(micros) }, at),
            release: () => Promise.resolve(void log.push('released')),
          });
        }),
    },
    microsPerSecond: 1000n,
    clock: { now: () => new Date('2026-01-01T12:00:00Z') },
  });
  // oxlint-disable-next-line typescript/require-await -- as the bytes of a request come
  const bytes = async function* () {
    yield new Uint8Array();
  };
  const transcribe = (signal = new AbortController().signal) =>
    app.transcribe(by, { filename: 'a.wav', language: undefined, bytes: bytes() }, signal);
  return { transcribe, log, saved };
}

describe('transcribing a recording', () => {
  it('sets credits aside before the work, keeps the text, and takes what its seconds cost', async () => {
    const { transcribe, log, saved } = transcribing();
    const transcription = await transcribe();
    expect(transcription).toMatchObject({
      text: 'Hello.',
      language: 'en',
      seconds: 2.5,
      engine: 'ear',
      userId: 'user-1',
    });
    expect(saved).toEqual([transcription]);
    expect(log).toEqual([
      'reserved 3000',
      'recognised',
      'kept',
      `owed 3000 by ${transcription.id}`,
      'recording removed',
    ]);
  });

  it('costs nothing where it fails', async () => {
    const { transcribe, log } = transcribing({
      recognise: async (_sound, { begin } = {}) => {
        await begin?.(1);
        throw upstreamFailed(new Error('deaf'));
      },
    });
    await expect(transcribe()).rejects.toMatchObject({ kind: 'upstream_failed' });
    expect(log).toEqual(['reserved 1000', 'released', 'recording removed']);
  });

  it('takes what was set aside where the sound turns out longer than it was taken for', async () => {
    const { transcribe, log } = transcribing({
      recognise: async (_sound, { begin } = {}) => {
        await begin?.(2);
        return { text: 'Hello.', seconds: 10, segments: [] };
      },
    });
    const { id } = await transcribe();
    expect(log).toContain(`owed 2000 by ${id}`);
  });

  it('is not begun where credits are missing', async () => {
    const { transcribe, log } = transcribing({ reserve: () => Promise.reject(paymentRequired()) });
    await expect(transcribe()).rejects.toMatchObject({ kind: 'payment_required' });
    expect(log).toEqual(['recording removed']);
  });

  it('is refused without a word about credits where nothing is installed that could do it', async () => {
    const reserve = () => Promise.reject(paymentRequired());
    const { transcribe, log } = transcribing({ isInstalled: false, reserve });
    await expect(transcribe()).rejects.toMatchObject({ kind: 'not_provided', message: 'no ear' });
    expect(log).toEqual(['recording removed']);
  });

  it('is refused when too many of an organisation wait already', async () => {
    const gate = Promise.withResolvers<undefined>();
    const { transcribe } = transcribing({
      recognise: async () => {
        await gate.promise;
        return { text: '', seconds: 1, segments: [] };
      },
    });
    const calls = Array.from({ length: 12 }, () => transcribe());
    const outcomes = Promise.allSettled(calls);
    await Promise.race(calls.map((call) => call.catch(() => undefined)));
    gate.resolve(undefined);
    const refused = (await outcomes).filter(({ status }) => status === 'rejected');
    expect(refused.length).toBe(7);
  });
});
