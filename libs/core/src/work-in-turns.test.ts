import { describe, expect, it } from '@jest/globals';
import { workInTurns } from './work-in-turns.ts';

/** What each organisation has, by its name; of the one behind the last one first. */
function queueOf(waiting: Record<string, number>) {
  return (last: string) => {
    const names = Object.keys(waiting).filter((name) => (waiting[name] ?? 0) > 0);
    const organisationId = names.find((name) => name > last) ?? names[0];
    if (organisationId === undefined) return Promise.resolve(undefined);
    waiting[organisationId] = (waiting[organisationId] ?? 0) - 1;
    return Promise.resolve({ organisationId });
  };
}

describe('work in turns', () => {
  it('takes of each organisation one, until nothing is due, and goes on behind the last one', async () => {
    const seen: string[] = [];
    const turn = { last: '' };
    const work = ({ organisationId }: { organisationId: string }) => Promise.resolve(seen.push(organisationId) > 0);
    expect(await workInTurns(turn, new AbortController().signal, queueOf({ a: 3, b: 1 }), work)).toBe(4);
    expect(seen).toEqual(['a', 'b', 'a', 'a']);
    await workInTurns(turn, new AbortController().signal, queueOf({ a: 1, b: 1 }), work);
    expect(seen.slice(4)).toEqual(['b', 'a']);
  });

  it('ends where others are at what is due, and when it has to stop', async () => {
    const endless = () => Promise.resolve({ organisationId: 'a' });
    let tried = 0;
    const outcomes = [true, false, true, false, false, true];
    const done = await workInTurns({ last: '' }, new AbortController().signal, endless, () =>
      Promise.resolve(outcomes[tried++] ?? false),
    );
    expect([done, tried]).toEqual([2, 5]);
    const stopping = new AbortController();
    const once = () => {
      stopping.abort();
      return Promise.resolve(true);
    };
    expect(await workInTurns({ last: '' }, stopping.signal, endless, once)).toBe(1);
  });
});
