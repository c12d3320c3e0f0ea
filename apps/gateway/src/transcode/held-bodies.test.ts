import { describe, expect, it } from '@jest/globals';
import { heldBodies } from './held-bodies.ts';

const LIMITS = { totalBytes: 100, callerBytes: 30, networkBytes: 60 };
const ada = { caller: 'ada', network: 'here' };

describe('the bodies that are held', () => {
  it('leave room for others when one caller has filled its share, from wherever', () => {
    const held = heldBodies(LIMITS);
    expect(held.take(ada, 30)).toBeUndefined();
    expect(held.take(ada, 1)).toBe('callerBytes');
    expect(held.take({ ...ada, network: 'there' }, 1)).toBe('callerBytes');
    expect(held.take({ caller: 'bob', network: 'here' }, 30)).toBeUndefined();
  });

  it('leave room for others when the callers of one network have filled its share', () => {
    const held = heldBodies(LIMITS);
    for (const caller of ['a', 'b']) expect(held.take({ caller, network: 'here' }, 30)).toBeUndefined();
    expect(held.take({ caller: 'c', network: 'here' }, 1)).toBe('networkBytes');
    expect(held.take({ caller: 'c', network: 'there' }, 30)).toBeUndefined();
  });

  it('are bounded all together, and count nothing for what was refused', () => {
    const held = heldBodies(LIMITS);
    for (const caller of ['a', 'b', 'c']) held.take({ caller, network: caller }, 30);
    expect(held.take(ada, 11)).toBe('totalBytes');
    expect(held.take(ada, 10)).toBeUndefined();
    held.giveBack(ada, 10);
    expect(held.take(ada, 10)).toBeUndefined();
  });
});
