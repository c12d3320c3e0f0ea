import { describe, expect, it } from '@jest/globals';
import type { ActorContext } from './actor.ts';
import { auditEntryFrom, auditEntryOf, auditRecorded } from './audit.ts';
import type { Change } from './decision.ts';

const noon = new Date('2026-05-01T12:00:00.000Z');
const by: ActorContext = {
  organisationId: 'org_1',
  actor: { type: 'user', id: 'user-ada', name: 'Ada', userId: 'user-ada', level: 'ADMIN' },
  requestId: 'request-1',
};
const byKey: ActorContext = {
  ...by,
  actor: { ...by.actor, type: 'api_key', id: 'key-9', name: '', onBehalfOf: { id: 'user-ada', name: 'Ada' } },
};
const updated = (change: Change) => ({ name: 'shelf.updated', subject: 'shelf-1', at: noon, data: {}, change });
const renamed = updated({ before: { name: 'Novels' }, after: { name: 'Poems' } });

describe('an audit entry', () => {
  it('says who, what, when, on which request, and what was before and after', () => {
    expect(auditEntryOf(renamed, by, 'entry-1')).toEqual({
      id: 'entry-1',
      createdAt: noon,
      actorType: 'user',
      actorId: 'user-ada',
      actorName: 'Ada',
      onBehalfOf: null,
      action: 'shelf.updated',
      targetType: 'shelf',
      targetId: 'shelf-1',
      before: { name: 'Novels' },
      after: { name: 'Poems' },
      requestId: 'request-1',
    });
  });

  it('says for whom a key has acted', () => {
    const entry = auditEntryOf(renamed, byKey, 'entry-1');
    expect(entry).toMatchObject({
      actorType: 'api_key',
      actorId: 'key-9',
      onBehalfOf: { id: 'user-ada', name: 'Ada' },
    });
  });

  it('shows of a very long list the beginning and how many entries follow, and the thing it belongs to in any case', () => {
    const folders = Array.from({ length: 1000 }, (_, index) => ({ folder: `folder ${index}`.padEnd(100, '.') }));
    const change = { before: null, after: { members: [{ id: 'ann', folders }], text: 'x'.repeat(100_000) } };
    const entry = auditEntryOf(updated(change), by, 'entry-1');
    const [shown] = (entry.after?.['members'] ?? []) as [{ id: string; folders: unknown[] }];
    expect(shown.id).toBe('ann');
    expect(shown.folders.slice(0, -1)).toEqual(folders.slice(0, shown.folders.length - 1));
    expect(shown.folders.at(-1)).toBe(`and ${1000 - (shown.folders.length - 1)} more`);
    expect(JSON.stringify(entry).length).toBeLessThan(20_000);
  });

  it('shows of a very long text about as many bytes as of a list, and no half of a character, which a database would refuse', () => {
    const text = (shown: string) =>
      auditEntryOf(updated({ before: null, after: { shown } }), by, 'entry-1').after?.['shown'];
    expect(text('語'.repeat(100_000))).toBe(`${'語'.repeat(2_730)}…`);
    expect(text(`.${'😀'.repeat(100_000)}`)).toBe(`.${'😀'.repeat(2_047)}…`);
    expect(text('語'.repeat(2_730))).toBe('語'.repeat(2_730));
  });

  it.each([by, byKey])('is the same when it is read from what was published', (actor) => {
    const entry = auditEntryOf(updated({ before: null, after: { name: 'Poems' } }), actor, 'entry-1');
    const { data, ...event } = auditRecorded(entry);
    expect(event).toEqual({ name: 'audit.recorded', subject: 'entry-1', at: noon });
    expect(auditEntryFrom(JSON.parse(JSON.stringify(data)) as typeof data)).toEqual(entry);
  });
});
