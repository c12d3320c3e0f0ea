import { describe, expect, it } from '@jest/globals';
import { unavailable, type DomainError } from '@platform-backend/core';
import type { MessageEnd } from '../../conversations/domain/message.ts';
import { turnOver } from '../domain/errors.ts';
import { executeTurn, type ExecutionPorts, type PaidTurn } from './execute-turn.ts';
import { liveAnswer } from './live-answer.ts';

/** What is stored at the end of an answer, where storing it fails in these ways first. */
async function stored(...failures: readonly DomainError[]) {
  const left = [...failures];
  const ends: MessageEnd[] = [];
  const owed: unknown[] = [];
  const live = liveAnswer('t');
  const ports = {
    conversationTurns: {
      branchOf: () => Promise.resolve([]),
      finishTurn: (_by: unknown, _ref: unknown, end: MessageEnd) => {
        const failure = left.shift();
        if (failure) return Promise.reject(failure);
        ends.push(end);
        return Promise.resolve();
      },
    },
    model: {
      ...{ name: 'm', quotesOnly: false, maxTokens: 10 },
      async *answer() {
        await Promise.resolve();
        yield { kind: 'text', text: 'Thirty days.' };
      },
    },
    pause: (_ms: number, signal: AbortSignal) =>
      // The one of the periodic storing ends with the answer.
      signal === live.finished && !signal.aborted
        ? new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        : Promise.resolve(),
    clock: { now: () => new Date(0) },
    logger: { warn: () => undefined },
    recordDebit: (_by: unknown, debit: unknown) => Promise.resolve(void owed.push(debit)),
    ...{ turnLeaseMs: 60_000, microsPer1000Tokens: 0n },
  } as unknown as ExecutionPorts;
  const turn = {
    by: { organisationId: 'org_1', actor: { type: 'user', id: 'ada', userId: 'ada' }, rights: {} },
    assistant: { id: 'a', name: 'A', instructions: '', tools: [], model: '', temperature: null },
    ref: { turnId: 't', conversationId: 'c' },
    context: { entities: [], conventions: [], documents: undefined },
    live,
    credits: { covered: (micros: bigint) => micros, debit: () => ['debit'], release: () => Promise.resolve() },
  } as unknown as PaidTurn;
  await executeTurn(ports, turn);
  return { ends, owed };
}

describe('the end of an answer', () => {
  const away = () => unavailable(new Error('the database is away'));

  it('is stored as it was written, however often that fails before', async () => {
    for (const failures of [0, 1, 3])
      expect((await stored(...Array.from({ length: failures }, away))).ends).toMatchObject([
        { message: 'Thirty days.', messageType: 'TEXT' },
      ]);
  });

  it('is owed and not stored where somebody else has ended the turn', async () => {
    expect(await stored(away(), turnOver())).toEqual({ ends: [], owed: ['debit'] });
  });
});
