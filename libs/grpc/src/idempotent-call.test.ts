import { describe, expect, it } from '@jest/globals';
import type { Caller } from '@platform-backend/auth';
import {
  changeToNote,
  conflict,
  idOfKey,
  keyedCallId,
  unavailable,
  type Claim,
  type ClaimedCall,
  type IdempotencyStore,
} from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { ServedOperation } from './contract.ts';
import { executeOnce, MAX_KEPT_BYTES, type IdempotentRequest } from './idempotent-call.ts';

const logger = createLogger({ service: 'test', level: 'silent' });
const operation: ServedOperation = {
  service: 'platform.things.v1.ThingService',
  grpcPath: '/platform.things.v1.ThingService/CreateThing',
  method: 'CreateThing',
  access: { credentials: ['TOKEN', 'API_KEY'], level: 'EDITOR', services: [] },
  idempotent: false,
  repetition: 'once',
};
const ada: Caller = { kind: 'user', service: 'gateway', userId: 'ada', organisationId: 'org_1', scopes: [] };
const asked: IdempotentRequest = { operation, caller: ada, secret: 'a secret', message: Buffer.from('a request') };

/** What a store is told, one line each, and what it was given to keep. */
function notebook(claimed: Claim = { is: 'ours' }) {
  const told: string[] = [];
  const claims: ClaimedCall[] = [];
  let kept: Buffer = Buffer.alloc(0);
  const tell = (what: string): Promise<void> => {
    told.push(what);
    return Promise.resolve();
  };
  const calls: IdempotencyStore = {
    claim: (call) => {
      claims.push(call);
      return Promise.resolve(claimed);
    },
    keep: (_call, answer) => {
      kept = answer;
      return tell('kept');
    },
    free: () => tell('freed'),
    leave: () => tell('left'),
    prune: () => Promise.resolve(0),
  };
  return { calls, told, claims, kept: () => kept };
}

const answering = (text: string) => () => Promise.resolve(Buffer.from(text));

describe('a call with an Idempotency-Key', () => {
  it('has its answer kept so that nobody can read it without the key', async () => {
    const { calls, told, kept } = notebook();
    const answer = await executeOnce(asked, { calls, logger, execute: answering('sk_secret') });
    expect([answer.toString(), told]).toEqual(['sk_secret', ['kept']]);
    expect(kept().toString('latin1')).not.toContain('sk_secret');

    const again = notebook({ is: 'answered', answer: kept() }).calls;
    const repeated = (secret: string) =>
      executeOnce({ ...asked, secret }, { calls: again, logger, execute: answering('never') });
    expect((await repeated('a secret')).toString()).toBe('sk_secret');
    await expect(repeated('another secret')).rejects.toThrow();
  });

  it('is known by either of two secrets while the key of the gateway is replaced, and carried out once', async () => {
    const known = new Map<string, Buffer>();
    const calls: IdempotencyStore = {
      claim: ({ key }) => {
        const answer = known.get(key.toString('hex'));
        if (!answer) known.set(key.toString('hex'), Buffer.alloc(0));
        return Promise.resolve(
          !answer ? { is: 'ours' } : answer.length === 0 ? { is: 'in_flight' } : { is: 'answered', answer },
        );
      },
      keep: ({ key }, answer) => Promise.resolve(void known.set(key.toString('hex'), answer)),
      free: ({ key }) => Promise.resolve(void known.delete(key.toString('hex'))),
      leave: () => Promise.resolve(),
      prune: () => Promise.resolve(0),
    };
    let executed = 0;
    const call = async (secret: string, otherSecret?: string) => {
      const execute = () => Promise.resolve(Buffer.from(`answer ${(executed += 1)}`));
      return (await executeOnce({ ...asked, secret, otherSecret }, { calls, logger, execute })).toString();
    };
    expect(await call('old')).toBe('answer 1');
    expect(await call('old', 'new')).toBe('answer 1');
    expect(await call('new', 'old')).toBe('answer 1');
    expect([executed, known.size]).toEqual([1, 1]);
    known.clear();
    expect(await call('new', 'old')).toBe('answer 2');
    expect(await call('old', 'new')).toBe('answer 2');
    expect(await call('new')).toBe('answer 2');
    known.clear();
    const both = await Promise.allSettled([call('new', 'old'), call('old', 'new')]);
    expect(executed).toBeLessThanOrEqual(3);
    expect(both.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
  });

  it('frees its key when it cannot be looked for under the other secret', async () => {
    const { calls, told } = notebook();
    let claims = 0;
    const claim: IdempotencyStore['claim'] = (call) =>
      (claims += 1) === 1 ? calls.claim(call) : Promise.reject(unavailable(new Error('away')));
    const work = { calls: { ...calls, claim }, logger, execute: answering('never') };
    await expect(executeOnce({ ...asked, otherSecret: 'other' }, work)).rejects.toMatchObject({ kind: 'unavailable' });
    expect([claims, told]).toEqual([2, ['freed']]);
  });

  it('frees its key when it is refused, and leaves it where nobody knows what was done', async () => {
    for (const [error, end] of [
      [conflict('taken', 'Taken'), 'freed'],
      [unavailable(new Error('away')), 'left'],
      [new Error('a defect'), 'left'],
    ] as const) {
      const { calls, told } = notebook();
      const call = executeOnce(asked, { calls, logger, execute: () => Promise.reject(error) });
      await expect(call).rejects.toBe(error);
      expect(told).toEqual([end]);
    }
  });

  it('is answered all the same when its answer is too large or cannot be kept', async () => {
    const large = notebook();
    const execute = () => Promise.resolve(Buffer.alloc(MAX_KEPT_BYTES + 1));
    expect(await executeOnce(asked, { calls: large.calls, logger, execute })).toHaveLength(MAX_KEPT_BYTES + 1);
    expect(large.told).toEqual(['left']);
    const broken = { ...notebook().calls, keep: () => Promise.reject(new Error('away')) };
    const answer = await executeOnce(asked, { calls: broken, logger, execute: answering('done') });
    expect(answer.toString()).toBe('done');
  });

  it.each([
    [{ is: 'key_reused' }, { kind: 'invalid', violations: [{ loc: ['header', 'idempotency-key'] }] }],
    [{ is: 'in_flight' }, { kind: 'conflict', code: 'request_in_flight', retryAfterSeconds: 1 }],
    [
      { is: 'cut_short', id: '018f' },
      { kind: 'conflict', code: 'answer_lost', retryAfterSeconds: 5 },
    ],
  ] as const)('is not carried out when it is %j', async (claim, refusal) => {
    const { calls, told } = notebook(claim);
    const call = executeOnce(asked, { calls, logger, execute: answering('never') });
    await expect(call).rejects.toMatchObject(refusal);
    expect(told).toEqual([]);
  });

  it('is told what it has begun when its answer was lost, where that has its id', async () => {
    const { calls } = notebook({ is: 'cut_short', id: '018f' });
    const request = { ...asked, operation: { ...operation, pendingLocation: '/things/{id}/' } };
    await expect(executeOnce(request, { calls, logger, execute: answering('never') })).rejects.toMatchObject({
      code: 'answer_lost',
      pending: { id: '018f', location: '/things/018f/' },
    });
  });

  it('gives its id to what it begins, and to nothing else', async () => {
    const { calls, claims } = notebook();
    let id = '';
    const execute = () => {
      id = keyedCallId(() => 'another');
      return Promise.resolve(Buffer.from(''));
    };
    await executeOnce(asked, { calls, logger, execute });
    expect(id).toBe(claims[0]?.id);
    expect(keyedCallId(() => 'another')).toBe('another');
  });

  it.each(['once', 'continues'] as const)('has the ids of its key at every attempt (%s)', async (repetition) => {
    const { calls } = notebook();
    const ids: string[] = [];
    const execute = () => {
      ids.push(idOfKey(() => 'another'));
      return Promise.resolve(Buffer.from(''));
    };
    const attempt = (secret: string) =>
      executeOnce({ ...asked, secret, operation: { ...asked.operation, repetition } }, { calls, logger, execute });
    for (const secret of ['a secret', 'a secret', 'another secret']) await attempt(secret);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set([...ids, 'another']).size).toBe(3);
  });

  it('notes its first change, unless it goes on when it is repeated', async () => {
    const { calls, claims } = notebook();
    const noted = async (repetition: 'once' | 'continues') => {
      let id: string | undefined;
      const execute = () => {
        id = changeToNote()?.call.id;
        return Promise.resolve(Buffer.from(''));
      };
      await executeOnce({ ...asked, operation: { ...operation, repetition } }, { calls, logger, execute });
      return id;
    };
    expect(await noted('once')).toBe(claims[0]?.id);
    expect(await noted('continues')).toBeUndefined();
    expect(changeToNote()).toBeUndefined();
  });

  it('is the same call for the same caller, operation and key alone', async () => {
    const { calls, claims } = notebook();
    const variants: IdempotentRequest[] = [
      asked,
      asked,
      { ...asked, secret: 'another' },
      { ...asked, caller: { ...ada, userId: 'bob' } },
      { ...asked, caller: { ...ada, kind: 'api_key', apiKeyId: 'key' } },
      { ...asked, caller: { ...ada, organisationId: 'org_2' } },
      { ...asked, operation: { ...operation, grpcPath: '/other' } },
    ];
    for (const variant of variants) await executeOnce(variant, { calls, logger, execute: answering('') });
    const names = claims.map(({ scope, key }) => `${scope} ${key.toString('hex')}`);
    expect(names[1]).toBe(names[0]);
    expect(new Set(names).size).toBe(variants.length - 1);
  });

  it('is of the person where one may be in no organisation, before and after they are in one', async () => {
    const { calls, claims } = notebook();
    const anybody = { ...operation, access: { credentials: ['TOKEN'], services: [] } as const };
    const { organisationId: _none, ...alone } = ada;
    for (const caller of [alone, ada])
      await executeOnce({ ...asked, operation: anybody, caller }, { calls, logger, execute: answering('') });
    expect(claims[1]).toMatchObject({ scope: 'ada', key: claims[0]?.key });
  });

  it('counts only with a key that the gateway hands on, of somebody, to an operation that takes one', async () => {
    const { calls, claims } = notebook();
    const { repetition: _none, ...unkeyed } = operation;
    const variants: IdempotentRequest[] = [
      { ...asked, secret: '' },
      { ...asked, caller: { ...ada, service: 'billing' } },
      { ...asked, caller: { kind: 'anonymous', service: 'gateway', scopes: [] } },
      { ...asked, operation: unkeyed },
    ];
    for (const variant of variants)
      expect((await executeOnce(variant, { calls, logger, execute: answering('done') })).toString()).toBe('done');
    expect(claims).toEqual([]);
  });
});
