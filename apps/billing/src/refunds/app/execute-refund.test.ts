import { describe, expect, it } from '@jest/globals';
import type { RefundOutcome } from '../../payments/domain/refund-provider.ts';
import { afterOutcome, type Refund } from '../domain/refund.ts';
import { executeRefund, refundReported, type RefundPorts } from './execute-refund.ts';

const begunAt = new Date('2026-04-01T12:00:00.000Z');
const begun = {
  id: 'refund-1',
  organisationId: 'org-1',
  state: 'PENDING',
  reference: null,
  createdAt: begunAt,
} as Refund;

/** One refund, of which the processor says this when it is asked for all of a payment. */
function refunds(first: RefundOutcome | null, hoursLater: number) {
  let found = first;
  let known = begun;
  const told: unknown[] = [];
  const log = ({ event }: { event: string }) => void told.push(event);
  const ports = {
    refunds: {
      get: () => Promise.resolve(known),
      update: (_name: unknown, _by: unknown, _at: unknown, decide: (refund: Refund) => Refund) =>
        Promise.resolve((known = decide(known))),
    },
    provider: { findRefund: () => Promise.resolve(found) },
    wallets: {
      get: () =>
        Promise.resolve({ organisationId: 'org-1', customer: 'cus_1', methods: [], lastSetupId: null, version: 0n }),
    },
    clock: { now: () => new Date(begunAt.getTime() + hoursLater * 3_600_000) },
    newId: () => 'note-1',
    logger: { warn: log, error: log },
  } as unknown as RefundPorts;
  const answer = (outcome: RefundOutcome) => void (found = outcome);
  return { ports, told, answer, known: () => known };
}

describe('a refund that the processor does not find', () => {
  it('was never made where nobody has told of it, and is looked for where it has', async () => {
    const silent = refunds(null, 24);
    await executeRefund(silent.ports, begun);
    expect(silent.known()).toMatchObject({ state: 'FAILED', failure: 'never_made' });

    const told = refunds(null, 1);
    await refundReported(told.ports, 'org-1', begun.id);
    expect(told.known()).toMatchObject({ state: 'PENDING', nextLookAt: expect.any(Date) });
  });

  it('ends as the processor says when it does', async () => {
    const told = refunds({ status: 'succeeded', reference: 're_1' }, 1);
    await refundReported(told.ports, 'org-1', begun.id);
    expect(told.known()).toMatchObject({ state: 'SUCCEEDED', reference: 're_1', creditNoteId: 'note-1' });
  });
});

describe('a refund that fails after it has succeeded', () => {
  it('has failed and is told to a person, and one that has not is not', async () => {
    const done = refunds({ status: 'succeeded', reference: 're_1' }, 1);
    for (let time = 0; time < 2; time += 1) await refundReported(done.ports, 'org-1', begun.id);
    expect(done.told).toEqual([]);

    done.answer({ status: 'failed', reference: 're_1', reason: 'lost_or_stolen_card' });
    for (let time = 0; time < 2; time += 1) await refundReported(done.ports, 'org-1', begun.id);
    expect(done.told).toEqual(['refund.failed_late']);
    expect(done.known()).toMatchObject({ state: 'FAILED', failure: 'lost_or_stolen_card', creditNoteId: 'note-1' });
  });

  it('is none where it is another one that failed, such as by a look before it was made', async () => {
    const done = refunds({ status: 'succeeded', reference: 're_1' }, 1);
    await refundReported(done.ports, 'org-1', begun.id);
    const late = { status: 'failed', reference: '', reason: 'never_made' } as const;
    expect(afterOutcome(done.known(), late, 'note-2', begunAt)).toBe(done.known());
  });
});
