import { describe, expect, it } from '@jest/globals';
import { memoryBudget } from './memory-budget.ts';

describe('a memory budget that organisations share', () => {
  it('gives one organisation half of what is free at most, and so always some to another', () => {
    const budget = memoryBudget(100);
    expect(budget.take('a', 50)).toBe(true);
    expect(budget.take('a', 1)).toBe(false);
    expect(budget.take('b', 25)).toBe(true);
    expect(budget.take('b', 1)).toBe(false);
    expect(budget.take('c', 12)).toBe(true);
    budget.giveBack('a', 50);
    expect(budget.take('b', 6)).toBe(true);
    budget.giveBack('b', 31);
    budget.giveBack('c', 12);
    expect([budget.take('d', 51), budget.take('d', 50)]).toEqual([false, true]);
  });
});
