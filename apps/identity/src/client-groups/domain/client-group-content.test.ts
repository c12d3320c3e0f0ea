import { describe, expect, it } from '@jest/globals';
import { refusalCode } from '../../../test/examples.ts';
import { maxClientGroupContent as largest, requireRoom } from './client-group-content.ts';

const empty = { members: 0, workspaces: 0, bytes: 0 };

describe('the room in a client group', () => {
  it('is there up to the last member, workspace and byte', () => {
    expect(() => requireRoom(empty, largest)).not.toThrow();
  });

  it.each([
    ['members', 'client_group_full'],
    ['workspaces', 'client_group_full'],
    ['bytes', 'client_group_too_large'],
  ] as const)('ends there: %s', (measure, code) => {
    expect(refusalCode(() => requireRoom(largest, { ...largest, [measure]: largest[measure] + 1 }))).toBe(code);
  });

  it('is not asked for by what leaves a group as large as it was or makes it smaller, however large it is', () => {
    const larger = { members: 2000, workspaces: 2000, bytes: 3 * largest.bytes };
    expect(() => requireRoom(larger, larger)).not.toThrow();
    expect(() => requireRoom(larger, { ...larger, bytes: larger.bytes - 1 })).not.toThrow();
    expect(refusalCode(() => requireRoom(larger, { ...larger, members: 2001 }))).toBe('client_group_full');
  });
});
