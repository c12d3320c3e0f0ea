import { beforeEach, describe, expect, it } from '@jest/globals';
import { fixedClock, notFound, requireCaller, unavailable, withCaller } from '@platform-backend/core';
import { systemActor } from '../../events.ts';
import type { VersionedPolicy } from '../domain/client-policy.ts';
import { policyKnowledge, type PolicyKnowledge } from './client-policies.ts';

const by = systemActor('org_1', 'test');
const clock = fixedClock();
const policy: VersionedPolicy = {
  clientGroupId: 'group-1',
  version: 1n,
  isDefault: true,
  countedFrom: '2026-01-01',
  policy: null,
};

let identity: () => Promise<VersionedPolicy>;
let eventsFlow: boolean;
let asked: number;
let learned: Map<string, VersionedPolicy>;
let knowledge: PolicyKnowledge;
beforeEach(() => {
  identity = () => Promise.resolve(policy);
  eventsFlow = false;
  asked = 0;
  learned = new Map();
  knowledge = policyKnowledge({
    clock,
    eventsFlow: () => eventsFlow,
    policyDirectory: {
      policyOf: () => {
        asked += 1;
        return identity();
      },
    },
    policies: {
      get: (organisationId) => Promise.resolve(learned.get(organisationId) ?? null),
      learn: async (organisationId, told) => {
        requireCaller();
        await Promise.resolve(learned.set(organisationId, told));
      },
    },
  });
});

const away = () => Promise.reject(unavailable(new Error('no identity')));
/** What was asked for beside the work has been answered then: no answer here waits for anything. */
const answered = () => new Promise((resolve) => setImmediate(resolve));
/** How old, in seconds, what is believed may be; null: whatever is known is. */
const believedSeconds = () => {
  const after = knowledge.heardAfter(by, null);
  return after && (clock.now().getTime() - after.getTime()) / 1000;
};

describe('what is known of a policy', () => {
  it('is believed for some seconds, and for a minute while events arrive', () => {
    expect(believedSeconds()).toBe(5);
    eventsFlow = true;
    expect(believedSeconds()).toBe(60);
    expect(asked).toBe(0);
  });

  it('is asked for once, however many want to know, and written down', async () => {
    await Promise.all(Array.from({ length: 50 }, () => knowledge.ask(by, null)));
    expect([asked, learned.get('org_1')]).toEqual([1, policy]);
  });

  it('is written down although whoever asked first has left, and identity is not taken to be away', async () => {
    const caller = new AbortController();
    const first = withCaller(caller, () => knowledge.ask(by, null));
    const second = knowledge.ask(by, null);
    caller.abort(new Error('hung up'));
    await Promise.all([first, second]);
    expect([asked, learned.get('org_1'), believedSeconds()]).toEqual([1, policy, 5]);
  });

  it('holds while identity is away, and of what is not known there is no limit', async () => {
    identity = away;
    await knowledge.ask(by, null);
    expect(believedSeconds()).toBeNull();
    await expect(knowledge.policyOf(by, null)).rejects.toMatchObject({ kind: 'unavailable' });
    learned.set('org_1', policy);
    expect(await knowledge.policyOf(by, null)).toBe(policy);
  });

  it('is asked for beside the work while identity is away, once in a second, until it answers', async () => {
    identity = away;
    await knowledge.ask(by, null);
    for (let n = 0; n < 10; n += 1) expect(believedSeconds()).toBeNull();
    expect(asked).toBe(1);
    clock.advance(1_000);
    for (let n = 0; n < 10; n += 1) expect(believedSeconds()).toBeNull();
    expect(asked).toBe(2);
    await answered();
    identity = () => Promise.resolve(policy);
    clock.advance(1_000);
    expect(believedSeconds()).toBeNull();
    await answered();
    expect([believedSeconds(), asked]).toEqual([5, 3]);
  });

  it('is nothing of a group that does not exist, and a defect is for whoever asks to hear', async () => {
    identity = () => Promise.reject(notFound('Client group'));
    await knowledge.ask(by, null);
    expect(believedSeconds()).toBe(5);
    identity = () => Promise.reject(new Error('a defect'));
    await expect(knowledge.ask(by, null)).rejects.toThrow('a defect');
  });
});
