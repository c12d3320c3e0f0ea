import { describe, expect, it } from '@jest/globals';
import { changeNotices } from './change-notices.ts';
import { followRevisions, snapshots, type SnapshotOptions } from './following.ts';

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
    pause: () => Promise.resolve(),
  });
};

/** A clock that stands still until `passes`; what is waited for resolves when its time has come. */
function givenClock() {
  let now = 0;
  const waiting = new Set<{ readonly at: number; readonly resolve: () => void }>();
  const pause: SnapshotOptions['pause'] = (ms, signal) =>
    new Promise((resolve) => {
      const one = { at: now + ms, resolve: () => resolve() };
      waiting.add(one);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  const passes = async (ms: number): Promise<void> => {
    now += ms;
    for (const one of waiting) if (one.at <= now) one.resolve();
    await settled();
  };
  return { pause, passes };
}

/** What follows from what was resolved has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
    const options = { signal: reader.signal, pause: () => Promise.resolve() };
    for await (const found of snapshots(look, options)) seen.push(found);
    expect(seen).toEqual([1, 2, 3]);
    expect(looks).toBe(3);
  });

  it('does not wait out its pause for a reader who has gone', async () => {
    const reader = new AbortController();
    const notice = () => changeNotices().of(['it']);
    const found = snapshots(() => Promise.resolve('found'), { signal: reader.signal, notice });
    await found.next();
    const next = found.next();
    reader.abort();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe('following something whose changes are told', () => {
  const [SOON_MS, SAFETY_MS] = [250, 10_000];

  /** A reader who takes all there is at once, and how often it was looked up. */
  async function reading(things: readonly string[], notices = changeNotices()) {
    const { pause, passes } = givenClock();
    const reader = new AbortController();
    let looks = 0;
    const look = () => Promise.resolve((looks += 1));
    const notice = () => notices.of(things);
    const done = (async () => {
      for await (const found of snapshots(look, { signal: reader.signal, notice, pause })) expect(found).toBe(looks);
    })();
    await settled();
    const leave = () => {
      reader.abort();
      return done;
    };
    return { notices, passes, looks: () => looks, leave };
  }

  it('is looked at when it has changed, and not before', async () => {
    const { notices, passes, looks, leave } = await reading(['run 1']);
    await passes(SOON_MS);
    await passes(SAFETY_MS / 2);
    expect(looks()).toBe(1);
    notices.changed('run 1');
    await settled();
    expect(looks()).toBe(2);
    await leave();
  });

  it('is looked at once for all that changes soon after a look', async () => {
    const { notices, passes, looks, leave } = await reading(['run 1', 'log 1']);
    for (const thing of ['run 1', 'log 1', 'log 1']) notices.changed(thing);
    await settled();
    expect(looks()).toBe(1);
    await passes(SOON_MS);
    expect(looks()).toBe(2);
    await passes(SOON_MS);
    expect(looks()).toBe(2);
    await leave();
  });

  it('is looked at ten seconds later though a notice was lost, and again', async () => {
    const { passes, looks, leave } = await reading(['run 1']);
    for (const expected of [2, 3]) {
      await passes(SOON_MS);
      await passes(SAFETY_MS);
      expect(looks()).toBe(expected);
    }
    await leave();
  });

  it('wakes nobody who follows something else, and all when notices may have been lost', async () => {
    const notices = changeNotices();
    const [one, other] = await Promise.all([reading(['run 1'], notices), reading(['run 2'], notices)]);
    await Promise.all([one.passes(SOON_MS), other.passes(SOON_MS)]);
    for (let change = 0; change < 100; change += 1) notices.changed('run 1');
    await settled();
    expect([one.looks(), other.looks()]).toEqual([2, 1]);
    await one.passes(SOON_MS);
    notices.allChanged();
    await settled();
    expect([one.looks(), other.looks()]).toEqual([3, 2]);
    await Promise.all([one.leave(), other.leave()]);
  });

  it('does not look after what nobody follows any more', async () => {
    const { notices, looks, passes, leave } = await reading(['run 1']);
    await leave();
    notices.changed('run 1');
    await passes(SAFETY_MS);
    expect(looks()).toBe(1);
  });
});
