import { describe, expect, it } from '@jest/globals';
import { followRevisions, snapshots } from './following.ts';

interface Work {
  readonly done: number;
}

const following = (works: readonly Work[], { known = '', signal = new AbortController().signal } = {}) => {
  const left = [...works];
  return followRevisions<Work>({
    look: () => Promise.resolve((left.length > 1 ? left.shift() : left[0]) as Work),
    revisionOf: ({ done }) => `done-${done}`,
    isOver: ({ done }) => done === 3,
    known,
    signal,
    everyMs: 1,
  });
};

async function told(
  revisions: AsyncIterable<{ readonly revision: string; readonly isLast: boolean }>,
): Promise<string[]> {
  const names: string[] = [];
  for await (const { revision, isLast } of revisions) names.push(isLast ? `${revision}, the last` : revision);
  return names;
}

describe('following something that is worked on', () => {
  it('tells each revision once, until it is over', async () => {
    const works = [{ done: 1 }, { done: 1 }, { done: 2 }, { done: 2 }, { done: 3 }];
    expect(await told(following(works))).toEqual(['done-1', 'done-2', 'done-3, the last']);
  });

  it('tells nothing that the reader knows', async () => {
    expect(await told(following([{ done: 1 }, { done: 3 }], { known: 'done-1' }))).toEqual(['done-3, the last']);
    expect(await told(following([{ done: 3 }], { known: 'done-3' }))).toEqual([]);
  });

  it('ends with what looking it up ends with', async () => {
    const gone = followRevisions<Work>({
      look: () => Promise.reject(new Error('it is gone')),
      revisionOf: String,
      isOver: () => false,
      known: '',
      signal: new AbortController().signal,
    });
    await expect(told(gone)).rejects.toThrow('it is gone');
  });

  it('looks up nothing once the reader has gone, however long nothing changes', async () => {
    const reader = new AbortController();
    let looks = 0;
    const look = (): Promise<number> => {
      looks += 1;
      if (looks === 3) reader.abort();
      return Promise.resolve(looks);
    };
    const seen: number[] = [];
    for await (const found of snapshots(look, reader.signal, 1)) seen.push(found);
    expect(seen).toEqual([1, 2, 3]);
    expect(looks).toBe(3);
  });

  it('does not wait out its pause for a reader who has gone', async () => {
    const reader = new AbortController();
    const found = snapshots(() => Promise.resolve('found'), reader.signal, 2 ** 30);
    await found.next();
    const next = found.next();
    reader.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
