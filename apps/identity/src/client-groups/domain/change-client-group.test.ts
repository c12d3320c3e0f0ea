import { describe, expect, it } from '@jest/globals';
import { clientGroup, eventNames, noon, refusalCode } from '../../../test/examples.ts';
import {
  archiveClientGroup,
  changeClientGroup,
  changeClientGroupAccess,
  makeDefaultClientGroup,
  recordClientGroupUsage,
  removeClientPolicy,
  restoreClientGroup,
  setClientPolicy,
} from './change-client-group.ts';
import type { ClientPolicy } from './client-group.ts';

const policy: ClientPolicy = {
  periodDays: 30,
  aiCreditLimit: 9_007_199_254_740_993n,
  infrastructureCreditLimit: null,
  requestLimit: 0n,
  hardStop: true,
};

describe('changing a client group', () => {
  it('keeps the fields that are not given and tells which have changed', () => {
    const { result, events } = changeClientGroup(clientGroup({ description: 'old' }), { name: 'Shops' }, noon);
    expect(result).toMatchObject({ name: 'Shops', description: 'old' });
    expect(events).toMatchObject([{ name: 'client_group.updated', data: { changed_fields: ['name'] } }]);
  });

  it('changes nothing and tells nothing when all is so already', () => {
    const before = clientGroup();
    expect(changeClientGroup(before, { name: before.name }, noon).state).toBe(before);
  });

  it('replaces only the access lists given', () => {
    const before = { assetAccess: [], fileAccess: [{ a: 'b' }], folderAccess: [{ c: 'd' }] };
    expect(changeClientGroupAccess('group-1', before, { fileAccess: [] }, noon).result).toEqual({
      assetAccess: [],
      fileAccess: [],
      folderAccess: [{ c: 'd' }],
    });
    expect(changeClientGroupAccess('group-1', before, { fileAccess: [{ a: 'b' }] }, noon).state).toBe(before);
  });

  it('shows in the audit log the entries that went and came, not the whole lists', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ folder: `f${index}` }));
    const before = { assetAccess: [], fileAccess: [], folderAccess: many };
    const lists = { folderAccess: [...many.slice(1), { folder: 'new' }] };
    expect(changeClientGroupAccess('group-1', before, lists, noon).events).toMatchObject([
      {
        data: { changed_fields: ['folder_access'] },
        change: { before: { folder_access: [{ folder: 'f0' }] }, after: { folder_access: [{ folder: 'new' }] } },
      },
    ]);
  });
});

describe('archiving a client group', () => {
  it('hides it once and tells once, however often it is asked for', () => {
    const first = archiveClientGroup(clientGroup(), noon);
    expect(eventNames(first)).toEqual(['client_group.archived']);
    const second = archiveClientGroup(first.state, noon);
    expect(second.state).toBe(first.state);
    expect(second.events).toEqual([]);
  });

  it('is refused for the default group', () => {
    expect(refusalCode(() => archiveClientGroup(clientGroup({ isDefault: true }), noon))).toBe('default_client_group');
  });

  it('can be undone, also twice', () => {
    const archived = clientGroup({ archived: true });
    const restored = restoreClientGroup(archived, noon);
    expect(restored.events).toMatchObject([{ change: { before: { archived: true }, after: { archived: false } } }]);
    expect(restoreClientGroup(restored.state, noon).events).toEqual([]);
  });
});

describe('making a client group the default', () => {
  const current = clientGroup({ id: 'group-0', isDefault: true });

  it('takes it from the group that had it, so that there is one at all times', () => {
    const { state, events } = makeDefaultClientGroup({ wanted: clientGroup(), current }, noon);
    expect([state.wanted.isDefault, state.current.isDefault]).toEqual([true, false]);
    expect(events.map(({ subject }) => subject)).toEqual(['group-0', 'group-1']);
  });

  it('does nothing for the group that has it', () => {
    expect(makeDefaultClientGroup({ wanted: current, current }, noon).events).toEqual([]);
  });

  it('is refused for an archived group', () => {
    const groups = { wanted: clientGroup({ archived: true }), current };
    expect(refusalCode(() => makeDefaultClientGroup(groups, noon))).toBe('client_group_archived');
  });
});

describe('the usage policy of a client group', () => {
  it('is set as a whole and shown in the audit log without losing digits', () => {
    const { result, events } = setClientPolicy(clientGroup(), policy, noon);
    expect(result.policy).toBe(policy);
    expect(events[0]?.change).toMatchObject({
      before: { policy: null },
      after: { policy: { ai_credit_limit: '9007199254740993', infrastructure_credit_limit: null, request_limit: '0' } },
    });
  });

  it('is taken away once', () => {
    const { state } = removeClientPolicy(clientGroup({ policy }), noon);
    expect(state.policy).toBeNull();
    expect(refusalCode(() => removeClientPolicy(state, noon))).toBe('policy_not_found');
  });
});

describe('the state of a client group', () => {
  it('goes with every change of it, under a version that grows', () => {
    const limited = setClientPolicy(clientGroup(), policy, noon);
    expect(limited.events[0]?.data).toMatchObject({
      group: { version: '2', policy: { request_limit: '0', hard_stop: true }, is_default: false },
    });
    const archived = archiveClientGroup(limited.state, noon);
    expect(archived.events[0]?.data).toMatchObject({ group: { version: '3', policy: { period_days: 30 } } });
    expect(restoreClientGroup(archived.state, noon).events[0]?.data).toMatchObject({ group: { version: '4' } });
  });

  it('stays out of what is told of its members and lists alone, which leaves it as it is', () => {
    const lists = { fileAccess: [{ a: 'b' }] };
    const before = { assetAccess: [], fileAccess: [], folderAccess: [] };
    expect(changeClientGroupAccess('group-1', before, lists, noon).events[0]?.data).toMatchObject({ group: null });
    expect(recordClientGroupUsage(clientGroup(), { requests: 3 }, 1n).state.version).toBe(clientGroup().version);
  });
});

describe('recording the usage of a client group', () => {
  it('takes over a newer report and ignores an older or repeated one', () => {
    const { state } = recordClientGroupUsage(clientGroup(), { requests: 3 }, 2n);
    expect(state).toMatchObject({ usage: { requests: 3 }, usageVersion: 2n });
    for (const version of [1n, 2n]) expect(recordClientGroupUsage(state, { requests: 1 }, version).state).toBe(state);
  });

  it('tells nobody, since billing does', () => {
    expect(recordClientGroupUsage(clientGroup(), { requests: 3 }, 1n).events).toEqual([]);
  });
});
