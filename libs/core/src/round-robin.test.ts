import { describe, expect, it } from '@jest/globals';
import { RoundRobin } from './round-robin.ts';

describe('rounds over all organisations', () => {
  it('begin where the one before has ended, also where nothing could be done for those', async () => {
    const all = ['a', 'b', 'c', 'd', 'e'];
    const list = (after: string) =>
      Promise.resolve([...all.filter((one) => one > after), ...all.filter((one) => one <= after)].slice(0, 2));
    const turns = new RoundRobin();
    const rounds = [];
    for (let round = 0; round < 4; round += 1) rounds.push((await turns.next(2, list, String)).join(''));
    expect(rounds).toEqual(['ab', 'cd', 'ea', 'bc']);
  });
});
