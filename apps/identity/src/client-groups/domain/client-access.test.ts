import { describe, expect, it } from '@jest/globals';
import { clientAccessOf, MAX_OPENED, type OwnClientGroup } from './client-access.ts';

const group = (id: string, lists: Partial<OwnClientGroup> = {}): OwnClientGroup => ({
  ...{ id, assetAccess: [], folderAccess: [], fileAccess: [], member: null },
  ...lists,
});

describe('what somebody may open by the groups that they are in', () => {
  it('is what the lists of all these groups map to an access level, and their own lists', () => {
    const groups = [
      group('one', { fileAccess: [{ a: 'VIEW', b: 'EDIT' }], assetAccess: [{ x: 'MANAGE' }] }),
      group('two', {
        fileAccess: [{ b: 'COMMENT' }],
        folderAccess: [{ hr: 'VIEW' }],
        member: { fileAccess: [{ c: 'VIEW' }], folderAccess: [{ board: 'VIEW' }] },
      }),
    ];
    expect(clientAccessOf(groups)).toEqual({
      groupIds: ['one', 'two'],
      files: ['a', 'b', 'c'],
      folders: ['hr', 'board'],
      assets: ['x'],
    });
  });

  it('is nothing that an entry says in other words', () => {
    const fileAccess = [{ a: 'view' }, { b: 'none' }, { c: '' }, { file: 'd', access: 'read' }];
    expect(clientAccessOf([group('one', { fileAccess })]).files).toEqual([]);
  });

  it('is bounded', () => {
    const fileAccess = Array.from({ length: MAX_OPENED + 1 }, (_, at) => ({ [`file-${String(at)}`]: 'VIEW' }));
    expect(clientAccessOf([group('one', { fileAccess })]).files).toHaveLength(MAX_OPENED);
  });
});
