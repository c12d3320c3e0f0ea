import { describe, expect, it } from '@jest/globals';
import { at, grantOf } from '../test/examples.ts';
import { drawDown } from './credit-grant.ts';

describe('spending from grants', () => {
  it('goes by priority, then by what expires first, then by age', () => {
    const grants = [
      grantOf(1n, { id: 'lasting' }),
      grantOf(1n, { id: 'young', expiresAt: at(5), createdAt: at(2) }),
      grantOf(1n, { id: 'old', expiresAt: at(5), createdAt: at(1) }),
      grantOf(1n, { id: 'soon', expiresAt: at(4) }),
      grantOf(1n, { id: 'first', priority: 1 }),
    ];
    expect(drawDown(grants, 0n).map(({ id }) => id)).toEqual(['first', 'soon', 'old', 'young', 'lasting']);
    expect(drawDown(grants, 3n).filter(({ remaining }) => remaining > 0n)).toHaveLength(2);
  });

  it('takes part of the last one it needs', () => {
    expect(
      drawDown([grantOf(5n, { id: 'a' }), grantOf(5n, { id: 'b' })], 7n).map(({ remaining }) => remaining),
    ).toEqual([0n, 3n]);
  });

  it('takes all of them where more was spent than they give', () => {
    expect(drawDown([grantOf(5n, { id: 'a' }), grantOf(1n)], 7n).map(({ remaining }) => remaining)).toEqual([0n, 0n]);
  });
});
