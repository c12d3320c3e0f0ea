import { describe, expect, it } from '@jest/globals';
import { memoryBudget } from './memory-budget.ts';

const LIMITS = { total: 100, caller: 30, network: 60, organisation: Infinity };
const ada = { caller: 'ada', network: 'here' };

describe('the bodies that are held', () => {
  it('leave room for others when one caller has filled its share, from wherever', () => {
    const held = memoryBudget(LIMITS);
    expect(held.take(ada, 30)).toBeUndefined();
    expect(held.take(ada, 1)).toBe('caller');
    expect(held.take({ ...ada, network: 'there' }, 1)).toBe('caller');
    expect(held.take({ caller: 'bob', network: 'here' }, 30)).toBeUndefined();
  });

  it('leave room for others when the callers of one network have filled its share', () => {
    const held = memoryBudget(LIMITS);
    for (const caller of ['a', 'b']) expect(held.take({ caller, network: 'here' }, 30)).toBeUndefined();
    expect(held.take({ caller: 'c', network: 'here' }, 1)).toBe('network');
    expect(held.take({ caller: 'c', network: 'there' }, 30)).toBeUndefined();
  });

  it('are bounded all together, and count nothing for what was refused', () => {
    const held = memoryBudget(LIMITS);
    for (const caller of ['a', 'b', 'c']) held.take({ caller, network: caller }, 30);
    expect(held.take(ada, 11)).toBe('total');
    expect(held.take(ada, 10)).toBeUndefined();
    held.giveBack(ada, 10);
    expect(held.take(ada, 10)).toBeUndefined();
  });

  it('leave room for others when the credentials of one organisation have filled its share, where it has one', () => {
    const held = memoryBudget({ ...LIMITS, organisation: 40 });
    const of = (caller: string, organisation?: string) => ({ caller, network: caller, organisation });
    expect(held.take(of('a', 'org_1'), 30)).toBeUndefined();
    expect(held.take(of('b', 'org_1'), 11)).toBe('organisation');
    expect(held.take(of('b', 'org_1'), 10)).toBeUndefined();
    for (const other of [of('c', 'org_2'), of('d')]) expect(held.take(other, 20)).toBeUndefined();
    held.giveBack(of('a', 'org_1'), 30);
    expect(held.take(of('b', 'org_1'), 20)).toBeUndefined();
  });
});
