import { describe, expect, it } from '@jest/globals';
import { changedFields, created, decided, deleted, type Decision } from './decision.ts';
import type { EventOf } from './event-pattern.ts';

describe('the fields that a change is told by', () => {
  it('are those that differ, before and after', () => {
    expect(changedFields({ name: 'a', archived: false }, { name: 'b', archived: false })).toEqual({
      before: { name: 'a' },
      after: { name: 'b' },
    });
  });

  it('are none when values are equal though not the same object', () => {
    expect(changedFields({ list: [{ a: 'b' }] }, { list: [{ a: 'b' }] })).toEqual({ before: {}, after: {} });
  });

  it('show null where there was nothing', () => {
    expect(changedFields({}, { policy: { hard_stop: true } })).toEqual({
      before: { policy: null },
      after: { policy: { hard_stop: true } },
    });
  });
});

describe('a decision for another state', () => {
  const event = { name: 'thing.renamed', subject: '1', at: new Date(0), data: {} };

  it('tells of one event, of several or of none, and gives its caller the state', () => {
    expect(decided('b', event)).toEqual({ state: 'b', events: [event], result: 'b' });
    expect(decided('b', [event, event])).toEqual({ state: 'b', events: [event, event], result: 'b' });
    expect(decided('b')).toEqual({ state: 'b', events: [], result: 'b' });
  });

  it('gives its caller something else where that is said, nothing included', () => {
    expect(decided('b', event, 1)).toEqual({ state: 'b', events: [event], result: 1 });
    expect(decided('b', event, undefined)).toEqual({ state: 'b', events: [event], result: undefined });
  });
});

type ShelfEvent = EventOf<Record<'shelf.created' | 'shelf.deleted', { shelf_id: string }>>;

describe('a decision about something with an id', () => {
  const shelf = { id: '1', name: 'history' };
  const shown = { name: 'history' };
  const told = { subject: '1', at: new Date(0), data: { shelf_id: '1' } };

  it('that it comes to be tells of it, and shows it to the audit log after nothing', () => {
    const change = { before: null, after: shown };
    const decision: Decision<typeof shelf, ShelfEvent> = created('shelf.created', shelf, told.at, told.data, shown);
    expect(decision).toEqual(decided(shelf, { name: 'shelf.created', ...told, change }));
  });

  it('that it is deleted leaves nothing, and gives its caller what it was', () => {
    const change = { before: shown, after: null };
    const decision: Decision<undefined, ShelfEvent, typeof shelf> = deleted(
      'shelf.deleted',
      shelf,
      told.at,
      told.data,
      shown,
    );
    expect(decision).toEqual(decided(undefined, { name: 'shelf.deleted', ...told, change }, shelf));
  });
});
