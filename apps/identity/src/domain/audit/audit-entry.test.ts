import { describe, expect, it } from '@jest/globals';
import { changeClientGroup } from '../client-groups/change-client-group.ts';
import { addClientMember } from '../client-groups/change-client-members.ts';
import { acting, actingByKey, clientGroup, clientMember, noon } from '../examples.ts';
import { auditEntryOf } from './audit-entry.ts';

describe('an audit entry', () => {
  it('shows of a very long list the beginning and how many entries follow, and the thing it belongs to in any case', () => {
    const folders = Array.from({ length: 1000 }, (_, index) => ({ folder: `folder ${index}`.padEnd(100, '.') }));
    const [event] = addClientMember('group-1', clientMember('ann', { folderAccess: folders }), noon).events;
    const entry = event && auditEntryOf(event, acting('ADMIN'), 'entry-1');
    const [shown] = entry?.after?.['members'] as [Record<string, unknown[]>];
    expect(shown).toMatchObject({ id: 'client-ann', name: 'ann', file_access: [] });
    const list = shown['folder_access'] ?? [];
    expect(list.slice(0, -1)).toEqual(folders.slice(0, list.length - 1));
    expect(list.at(-1)).toBe(`and ${1000 - (list.length - 1)} more`);
    expect(JSON.stringify(entry).length).toBeLessThan(10_000);
  });

  it('says who, what, when, on which request, and what was before and after', () => {
    const [event] = changeClientGroup(clientGroup(), { name: 'Shops' }, noon).events;
    expect(event && auditEntryOf(event, acting('ADMIN'), 'entry-1')).toEqual({
      id: 'entry-1',
      createdAt: noon,
      actorType: 'user',
      actorId: 'user-ada',
      actorName: 'Ada',
      onBehalfOf: null,
      action: 'client_group.updated',
      targetType: 'client_group',
      targetId: 'group-1',
      before: { name: 'Retail' },
      after: { name: 'Shops' },
      requestId: 'request-1',
    });
  });

  it('says for whom a key has acted', () => {
    const [event] = changeClientGroup(clientGroup(), { name: 'Shops' }, noon).events;
    expect(event && auditEntryOf(event, actingByKey('ADMIN'), 'entry-1')).toMatchObject({
      actorType: 'api_key',
      actorId: 'key-9',
      onBehalfOf: { id: 'user-ada', name: 'Ada' },
    });
  });
});
