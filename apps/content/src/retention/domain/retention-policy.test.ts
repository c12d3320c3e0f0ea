import { describe, expect, it } from '@jest/globals';
import {
  documentRule,
  isAsBefore,
  isOver,
  NO_RETENTION,
  PASS_EVERY_MS,
  passOf,
  recordPart,
  replaceRules,
  targetsOf,
  type RetentionPolicy,
  type RetentionRule,
  type RetentionRules,
} from './retention-policy.ts';

const DAY = 24 * 60 * 60_000;
const noon = new Date('2026-05-01T12:00:00Z');
const daysAgo = (days: number): Date => new Date(noon.getTime() - days * DAY);
const later = (ms: number): Date => new Date(noon.getTime() + ms);

const days = (count: number, since: RetentionRule['since'] = 'CHANGED'): RetentionRule => ({ days: count, since });
const rules: RetentionRules = {
  documents: days(365),
  collections: [
    { collection: 'contracts', rule: null },
    { collection: 'applications', rule: days(180, 'CREATED') },
  ],
  conversations: days(30),
  transcriptions: null,
};
const put = (before: RetentionPolicy | undefined, wanted: RetentionRules, at = noon) =>
  replaceRules(before, { ...wanted, id: 'org_1' }, at);
const policy = (): RetentionPolicy => {
  const { state } = put(undefined, rules);
  if (!state) throw new Error('it is there');
  return state;
};
const begun = (): RetentionPolicy => {
  const pass = passOf(policy(), noon);
  const part = { deleted: { documents: 25 }, next: { target: 0, cursor: 'further' } };
  const { state } = recordPart(policy(), pass, part, noon);
  if (!state) throw new Error('it is there');
  return state;
};

describe('what is kept', () => {
  it('is kept for whole days since it was made or changed, and for good without a rule', () => {
    const old = { createdAt: daysAgo(31), changedAt: daysAgo(29) };
    expect(isOver(days(30), old, noon)).toBe(false);
    expect(isOver(days(30, 'CREATED'), old, noon)).toBe(true);
    expect(isOver(days(29), old, noon)).toBe(false);
    expect(isOver(days(29), old, later(1))).toBe(true);
    expect(isOver(null, old, noon)).toBe(false);
  });

  it('goes by the rule of its collection, and by that of all others where there is none', () => {
    expect(documentRule(rules, 'contracts')).toBeNull();
    expect(documentRule(rules, 'applications')).toEqual(days(180, 'CREATED'));
    expect(documentRule(rules, '')).toEqual(days(365));
    expect(documentRule(NO_RETENTION, '')).toBeNull();
  });

  it('is looked through by each rule that there is', () => {
    expect(targetsOf(rules)).toEqual([
      { kind: 'documents', rule: days(365), except: ['contracts', 'applications'] },
      { kind: 'documents', rule: days(180, 'CREATED'), collection: 'applications' },
      { kind: 'conversations', rule: days(30) },
    ]);
    expect(targetsOf(NO_RETENTION)).toEqual([]);
  });
});

describe('a retention policy', () => {
  it('begins to be carried out at once, and changes nothing where it is the same', () => {
    const { state, events } = put(undefined, rules);
    expect(state).toMatchObject({ ...rules, id: 'org_1', updatedAt: noon, dueAt: noon });
    expect(events).toMatchObject([
      {
        name: 'retention_policy.updated',
        data: { documents_days: 365, conversations_days: 30, transcriptions_days: null, collections: 2 },
        change: { before: { documents: null }, after: { documents: days(365) } },
      },
    ]);
    expect(put(state, { ...rules }, later(1))).toMatchObject({ state, events: [] });
    expect(put(undefined, NO_RETENTION)).toMatchObject({ state: undefined, events: [] });
  });

  it('is due no more where everything is kept for good, and tells what was deleted until then', () => {
    const { state, events } = put(begun(), NO_RETENTION, later(5));
    expect(state).not.toHaveProperty('dueAt');
    expect(state).not.toHaveProperty('pass');
    expect(state?.lastPass).toMatchObject({ startedAt: noon, finishedAt: later(5), deleted: { documents: 25 } });
    expect(events.map(({ name }) => name)).toEqual(['retention_policy.enforced', 'retention_policy.updated']);
  });

  it('is another one for whoever works on it when it was changed or somebody else went on with it', () => {
    expect(isAsBefore(begun(), begun())).toBe(true);
    expect(isAsBefore(policy(), begun())).toBe(false);
    const { state } = put(begun(), NO_RETENTION, later(1));
    expect(state && isAsBefore(state, begun())).toBe(false);
  });
});

describe('a pass', () => {
  it('goes on where it was, and says at its end how many were deleted', () => {
    const pass = passOf(begun(), later(10));
    expect(pass).toMatchObject({ startedAt: noon, target: 0, cursor: 'further' });
    const { state, events } = recordPart(begun(), pass, { deleted: { conversations: 2 }, next: undefined }, later(10));
    expect(events).toMatchObject([
      {
        name: 'retention_policy.enforced',
        data: { started_at: noon.toISOString(), documents: 25, conversations: 2, transcriptions: 0 },
      },
    ]);
    expect(state).not.toHaveProperty('pass');
    expect(state?.dueAt).toEqual(later(PASS_EVERY_MS));
    expect(state?.lastPass).toMatchObject({ finishedAt: later(10), deleted: { documents: 25, conversations: 2 } });
  });

  it('that has deleted nothing tells nothing', () => {
    const { state, events } = recordPart(policy(), passOf(policy(), noon), { deleted: {}, next: undefined }, noon);
    expect(events).toEqual([]);
    expect(state).toEqual({ ...policy(), dueAt: later(PASS_EVERY_MS) });
  });
});
