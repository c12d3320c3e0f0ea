import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chainStart, checkEnd, checkNoted, followLink, type ChainHead, type ChainLink } from './audit-chain.ts';

const sha256 = (...parts: (Buffer | string)[]): string => {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
};
const texts = ['["one"]', '["two"]', '["three"]'];
const links = texts.reduce<ChainLink[]>((chain, text, index) => {
  const before = Buffer.from(chain.at(-1)?.hash ?? '', 'hex');
  return [...chain, { sequence: index + 1, entryId: `entry-${index + 1}`, text, hash: sha256(before, text) }];
}, []);

/** Where following the links ends: at the head, or at the first that is broken. */
const follow = (chain: readonly ChainLink[]) => {
  let head: ChainHead = chainStart;
  for (const link of chain) {
    const next = followLink(head, link);
    if ('reason' in next) return next;
    head = next;
  }
  return head;
};
const changed = (sequence: number, change: Partial<ChainLink>) =>
  links.map((link) => (link.sequence === sequence ? { ...link, ...change } : link));

describe('the chain of an organisation', () => {
  it('is followed from the first entry to its head', () => {
    expect(follow(links)).toEqual({ sequence: 3, hash: links[2]?.hash });
  });

  it('is broken at the entry that was changed', () => {
    expect(follow(changed(2, { text: '["2"]' }))).toEqual({ reason: 'changed', sequence: 2, entryId: 'entry-2' });
  });

  it('is broken behind an entry whose own hash was made to fit', () => {
    const hash = sha256(Buffer.from(links[0]?.hash ?? '', 'hex'), '["2"]');
    expect(follow(changed(2, { text: '["2"]', hash }))).toMatchObject({ reason: 'changed', sequence: 3 });
  });

  it('is broken where an entry, or an entry with its link, is gone', () => {
    expect(follow(changed(2, { text: null }))).toMatchObject({ reason: 'entry_missing', sequence: 2 });
    expect(follow(links.filter(({ sequence }) => sequence !== 2))).toMatchObject({
      reason: 'links_missing',
      sequence: 3,
    });
  });

  it('ends where its organisation says that it does', () => {
    const head = { sequence: 3, hash: links[2]?.hash ?? '' };
    expect(checkEnd(head, head)).toBeNull();
    expect(checkEnd({ sequence: 2, hash: links[1]?.hash ?? '' }, head)).toMatchObject({
      reason: 'end_differs',
      sequence: 3,
    });
  });

  it('has what was noted of it, however it was made anew since', () => {
    const noted = { sequence: 2, hash: links[1]?.hash ?? '' };
    expect(checkNoted(links[1], noted)).toBeNull();
    for (const now of [undefined, { sequence: 2, hash: 'ff' }])
      expect(checkNoted(now, noted)).toMatchObject({ reason: 'noted_head_differs', sequence: 2 });
  });
});
