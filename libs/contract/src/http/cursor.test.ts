import { describe, expect, it } from '@jest/globals';
import { cursorSeal } from './cursor.ts';

const list = 'platform.identity.v1.ClientGroupService/ListClientGroups';
const position = '2026-11-21T05:00:00.123Z,0199c0de-0000-7000-8000-000000000000';
const { seal, unseal } = cursorSeal(['a key for tests']);

describe('sealing page positions', () => {
  it('gives back the position that was sealed, whatever its characters', () => {
    for (const text of [position, 'ü|日本', '"', 'x']) expect(unseal(list, seal(list, text))).toBe(text);
  });

  it('writes only characters that need no escaping in a URL', () => {
    expect(seal(list, position)).toMatch(/^[\w-]+$/);
  });

  it('opens a cursor for the operation it was made for, and for no other', () => {
    expect(unseal('platform.identity.v1.MemberService/ListMembers', seal(list, position))).toBeUndefined();
  });

  it('refuses a cursor in which any single character was changed', () => {
    const cursor = seal(list, position);
    for (let at = 0; at < cursor.length; at++) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      expect(unseal(list, cursor.slice(0, at) + other + cursor.slice(at + 1))).toBeUndefined();
    }
  });

  it('refuses empty, short, padded, foreign and very long texts', () => {
    const foreign = cursorSeal(['another key']).seal(list, position);
    for (const text of ['', 'abc', 'not a cursor!', `${seal(list, position)}=`, foreign, 'A'.repeat(100_000)]) {
      expect(unseal(list, text)).toBeUndefined();
    }
  });

  it('opens what the key before has sealed, and what the next one will seal, and seals with the first', () => {
    const [before, both, after] = [cursorSeal(['old']), cursorSeal(['new', 'old']), cursorSeal(['new'])];
    expect(both.unseal(list, before.seal(list, position))).toBe(position);
    expect(after.unseal(list, both.seal(list, position))).toBe(position);
    expect(after.unseal(list, before.seal(list, position))).toBeUndefined();
  });

  it('refuses to work without a key', () => {
    expect(() => cursorSeal([''])).toThrow('must not be empty');
  });
});
