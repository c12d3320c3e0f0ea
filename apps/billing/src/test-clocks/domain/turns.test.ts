import { describe, expect, it } from '@jest/globals';
import { everybody } from './schedule-scope.ts';
import { Turns } from './turns.ts';

describe('rounds over all organisations', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];
  const list = (after: string) =>
    Promise.resolve([...all.filter((one) => one > after), ...all.filter((one) => one <= after)].slice(0, 2));

  it('begin where the one before has ended, also where nothing could be done for those', async () => {
    const turns = new Turns();
    const rounds = [];
    for (let round = 0; round < 4; round += 1) rounds.push((await turns.next(everybody, 2, list, String)).join(''));
    expect(rounds).toEqual(['ab', 'cd', 'ea', 'bc']);
  });

  it('take those of one organisation besides', async () => {
    const turns = new Turns();
    await turns.next(everybody, 2, list, String);
    expect(await turns.next({ only: 'e' }, 2, () => Promise.resolve(['e']), String)).toEqual(['e']);
    expect(await turns.next(everybody, 2, list, String)).toEqual(['c', 'd']);
  });
});
