import { describe, expect, it } from '@jest/globals';
import { unavailable, type DomainError } from '@platform-backend/core';
import { setImmediate } from 'node:timers/promises';
import type { MessageEnd } from '../../conversations/domain/message.ts';
import { turnOver } from '../domain/errors.ts';
import { executeTurn, reserveForTurn, type ExecutionPorts, type PaidTurn } from './execute-turn.ts';
import { liveAnswer, TurnInterrupted } from './live-answer.ts';

/** What is stored at the end of an answer, where storing it fails in these ways first. */
async function stored(...steps: readonly (DomainError | 'given up' | 'conversation kept')[]) {
  const left = steps.filter((step) => typeof step !== 'string');
  const ends: MessageEnd[] = [];
  const owed: unknown[] = [];
  const counted: string[] = [];
  const live = liveAnswer('t');
  let renewed = 0;
  const ports = {
    conversationTurns: {
      branchOf: () => Promise.resolve([]),
      renewTurn: () => {
        renewed += 1;
        return Promise.resolve({ turn: { id: 't' } });
      },
      finishTurn: (_by: unknown, _ref: unknown, end: MessageEnd) => {
        const failure = left.shift();
        if (failure) return Promise.reject(failure);
        ends.push(end);
        return Promise.resolve();
      },
    },
    model: {
      ...{ name: 'm', quotesOnly: false, seesImages: () => false },
      termsOf: () => ({ maxTokens: 10, maxWritten: 10, contextTokens: undefined, price: { input: 0n, output: 0n } }),
      async *answer() {
        await Promise.resolve();
        yield { kind: 'text', text: 'Thirty days.' };
      },
    },
    messages: { update: () => Promise.resolve() },
    conversations: { find: () => Promise.resolve(steps.includes('conversation kept') ? {} : undefined) },
    toolServers: () => ({
      usable: () => Promise.resolve({ tools: [], unavailable: [] }),
      close: () => Promise.resolve(),
    }),
    pause: () => setImmediate(),
    clock: { now: () => new Date(0) },
    logger: { warn: () => undefined },
    meters: {
      ...{ timeToFirstToken: () => undefined, toolFailed: () => undefined },
      ended: (outcome: string) => counted.push(outcome),
      notStored: (what: string) => counted.push(what),
    },
    recordDebit: (_by: unknown, debit: unknown) => {
      const failure = left.shift();
      return failure ? Promise.reject(failure) : Promise.resolve(void owed.push(debit));
    },
    // Short, so that it is renewed whenever that is looked at.
    turnLeaseMs: 1_000,
  } as unknown as ExecutionPorts;
  const turn = {
    by: { organisationId: 'org_1', actor: { type: 'user', id: 'ada', userId: 'ada' }, rights: {} },
    assistant: {
      id: 'a',
      name: 'A',
      instructions: '',
      tools: [],
      model: '',
      temperature: null,
      toolEffects: 'ask',
      toolServerIds: [],
      documentLabels: [],
    },
    ref: { turnId: 't', conversationId: 'c' },
    context: { entities: [], conventions: [], documents: undefined },
    live,
    credits: { covered: (micros: bigint) => micros, debit: () => ['debit'], release: () => Promise.resolve() },
  } as unknown as PaidTurn;
  if (steps.includes('given up')) live.stop(new TurnInterrupted({ code: 'timed_out', message: 'Too long.' }));
  await executeTurn(ports, turn);
  return { ends, owed, renewed, counted };
}

describe('the end of an answer', () => {
  const away = () => unavailable(new Error('the database is away'));

  it('is stored as it was written, however often that fails before', async () => {
    for (const failures of [0, 1, 3])
      expect((await stored(...Array.from({ length: failures }, away))).ends).toMatchObject([
        { message: 'Thirty days.', messageType: 'TEXT' },
      ]);
  });

  it('is owed and not stored where the conversation was deleted', async () => {
    expect(await stored(away(), turnOver())).toMatchObject({ ends: [], owed: ['debit'] });
  });

  it('is owed by whoever else has ended the turn, as far as the answer says it, and not once more', async () => {
    expect(await stored('conversation kept', turnOver())).toMatchObject({ ends: [], owed: [] });
  });

  it('is owed also where the debit cannot be written down at first', async () => {
    expect(await stored(turnOver(), away(), away())).toMatchObject({ ends: [], owed: ['debit'] });
  });

  it('is counted, and how often it could not be stored', async () => {
    expect((await stored(away(), turnOver(), away())).counted).toEqual(['whole', 'end', 'end', 'debit']);
  });

  it('keeps the lease of its turn while it is tried again, also of an answer that was given up', async () => {
    const { renewed, ends } = await stored('given up', ...Array.from({ length: 4 }, away));
    expect(ends).toHaveLength(1);
    expect(renewed).toBeGreaterThan(0);
  });
});

describe('what is set aside for an answer', () => {
  /** In micros, where the assistant's own model is free and others cost one for each token. */
  async function setAside(helpers: { readonly titleModel?: string; readonly rewriteModel?: string }): Promise<bigint> {
    let reserved = 0n;
    const priceOf = (model: string) => (model === '' ? 0n : 1_000_000n);
    const ports = {
      ...helpers,
      model: {
        quotesOnly: false,
        termsOf: (model: string) => ({
          ...{ maxTokens: 10, maxWritten: 10, contextTokens: undefined },
          price: { input: priceOf(model), output: priceOf(model) },
        }),
      },
      credits: {
        reserve: (_by: unknown, micros: bigint) => {
          reserved = micros;
          return Promise.resolve({ id: 'reservation' });
        },
      },
    } as unknown as ExecutionPorts;
    await reserveForTurn(ports, { organisationId: 'org_1' } as PaidTurn['by'], { model: '' });
    return reserved;
  }

  it('is enough for the models that name its conversation and say its question whole as well', async () => {
    expect(await setAside({})).toBe(0n);
    const [title, rewrite] = [await setAside({ titleModel: 'a' }), await setAside({ rewriteModel: 'b' })];
    expect(title).toBeGreaterThan(2_500n);
    expect(rewrite).toBeGreaterThan(9_000n);
    expect(await setAside({ titleModel: 'a', rewriteModel: 'b' })).toBe(title + rewrite);
  });
});
