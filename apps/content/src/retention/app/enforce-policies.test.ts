import { describe, expect, it } from '@jest/globals';
import type { RetentionPolicies } from '../domain/retention-policies.ts';
import { NO_RETENTION, replaceRules } from '../domain/retention-policy.ts';
import { enforcePolicies } from './enforce-policies.ts';
import type { RetainedThings } from './retained.ts';
import { retentionUseCases } from './retention.ts';

const noon = new Date('2026-05-01T12:00:00Z');
const days = { days: 30, since: 'CHANGED' } as const;

/** An organisation with documents, of which these cannot be deleted; a transaction that fails has changed nothing. */
function organisationWith(ids: readonly string[], stuck: readonly string[]) {
  let policy = replaceRules(undefined, { ...NO_RETENTION, documents: days, id: 'org_1' }, noon).state;
  let left = new Set(ids);
  let isPostponed = false;
  const policies: RetentionPolicies = {
    find: () => Promise.resolve(policy),
    update: (_by, decide) => {
      policy = decide(policy).state;
      return Promise.resolve(policy);
    },
    together: async (_organisationId, work) => {
      const before = { policy, left: new Set(left) };
      try {
        return await work();
      } catch (error) {
        ({ policy, left } = before);
        throw error;
      }
    },
    takeDue: () => {
      const isDue = !isPostponed && policy?.dueAt !== undefined && policy.dueAt <= noon;
      return Promise.resolve(isDue ? 'org_1' : undefined);
    },
    postpone: () => {
      isPostponed = true;
      return Promise.resolve();
    },
    untilDue: () => Promise.resolve(undefined),
    removeAll: () => Promise.resolve(),
  };
  const documents: RetainedThings<never> = {
    over: (_organisationId, _target, _asOf, { limit, cursor }) => {
      const behind = [...left].filter((id) => id > cursor).toSorted();
      const items = behind.slice(0, limit).map((id) => ({ id }) as never);
      return Promise.resolve({ items, nextCursor: behind.length > limit ? (behind[limit - 1] ?? '') : '' });
    },
    remove: (_by, id) =>
      stuck.includes(id) ? Promise.reject(new Error(`${id} cannot be deleted`)) : Promise.resolve(left.delete(id)),
  };
  const none: RetainedThings = {
    over: () => Promise.resolve({ items: [], nextCursor: '' }),
    remove: () => Promise.resolve(false),
  };
  const warned: unknown[] = [];
  const pass = () =>
    enforcePolicies(
      {
        policies,
        retained: { documents, conversations: none, transcriptions: none },
        wakeDocuments: () => undefined,
        now: () => Promise.resolve(noon),
        logger: { warn: (details: unknown) => warned.push(details) } as never,
      },
      new AbortController().signal,
    );
  return { pass, policy: () => policy, left: () => [...left], isPostponed: () => isPostponed, warned };
}

describe('a pass of a retention policy', () => {
  it('goes on behind what cannot be deleted, and leaves that to the next one', async () => {
    const ids = Array.from({ length: 60 }, (_, at) => String(100 + at));
    const stuck = ['103', '130', '131'];
    const { pass, policy, left, isPostponed, warned } = organisationWith(ids, stuck);
    await pass();
    expect(left()).toEqual(stuck);
    expect([policy()?.lastPass?.deleted.documents, policy()?.pass, isPostponed()]).toEqual([57, undefined, false]);
    expect(warned).toMatchObject(stuck.map((thingId) => ({ event: 'retention.left', thingId })));
  });
});

describe('a preview of a retention policy', () => {
  it('counts no more than it tells, however many collections have a rule', async () => {
    const asked: { readonly collection: string | undefined; readonly counts: boolean }[] = [];
    const many: RetainedThings<never> = {
      over: (_organisationId, { collection }, _asOf, { includeTotal }) => {
        asked.push({ collection, counts: includeTotal });
        return Promise.resolve({
          items: [{ id: collection } as never],
          nextCursor: '',
          ...(includeTotal && { total: 4_000 }),
        });
      },
      remove: () => Promise.resolve(false),
    };
    const useCases = retentionUseCases({
      policies: undefined as never,
      retained: { documents: many, conversations: many, transcriptions: many },
      now: () => Promise.resolve(noon),
    });
    const collections = Array.from({ length: 50 }, (_, at) => ({ collection: String(at), rule: days }));
    const by = { organisationId: 'org_1' } as never;
    const seen = await useCases.preview(by, { ...NO_RETENTION, collections });
    expect([seen.documents, seen.examples.length]).toEqual([10_000, 50]);
    expect(asked.filter(({ counts }) => counts)).toHaveLength(3);
  });
});
