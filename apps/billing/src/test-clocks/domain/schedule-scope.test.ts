import { describe, expect, it } from '@jest/globals';
import { RoundRobin } from '@platform-backend/core';
import { dueInTurn, everybody, type ScheduleScope } from './schedule-scope.ts';

describe('a round of a schedule', () => {
  it('takes one that has a clock of its own besides the others, whose turns go on', async () => {
    const all = ['a', 'b', 'c', 'd'];
    const list = (after: string) => Promise.resolve(all.filter((one) => one > after).slice(0, 2));
    const turns = new RoundRobin();
    const round = (scope: ScheduleScope = everybody, due = list) => dueInTurn(turns, scope, 2, due, String);
    expect(await round()).toEqual(['a', 'b']);
    expect(await round({ only: 'e' }, () => Promise.resolve(['e']))).toEqual(['e']);
    expect(await round()).toEqual(['c', 'd']);
  });
});
