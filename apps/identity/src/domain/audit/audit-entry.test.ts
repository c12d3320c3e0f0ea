import { describe, expect, it } from '@jest/globals';
import { changeClientGroup } from '../client-groups/change-client-group.ts';
import { acting, actingByKey, clientGroup, noon } from '../examples.ts';
import { auditEntryOf } from './audit-entry.ts';

describe('an audit entry', () => {
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
