import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { trackActivity, type Activity } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { waitFor } from '@platform-backend/testing';
import { always, repeat, type PeriodicJob, type Repeating, type RunningJob } from './periodic-job.ts';

const logger = createLogger({ service: 'library', level: 'silent' });
const HOUR_MS = 3_600_000;

let at = 0;
let activity: Activity;
let jobs: RunningJob[] = [];
beforeEach(() => {
  at = 0;
  activity = trackActivity(() => at);
  aMinuteLater();
});
afterEach(async () => {
  await Promise.all(jobs.map((job) => job.stop()));
  jobs = [];
});
const aMinuteLater = () => void (at += 60_000);

/** A job every millisecond that counts how often it came. */
function counted(job: Partial<PeriodicJob> = {}, repeating: Partial<Repeating> = {}) {
  const count = { times: 0 };
  const run = (): Promise<unknown> => Promise.resolve(void (count.times += 1));
  const whole = { name: 'the count', everyMs: 1, ...job };
  const running = repeat(
    { ...whole, run: (stopping) => run().then(() => job.run?.(stopping)) },
    { logger, activity, restMs: HOUR_MS, ...repeating },
  );
  jobs.push(running);
  return Object.assign(count, { wake: () => running.wake() });
}

/** In which a job that does not rest comes thirty times. */
async function aWhile(): Promise<void> {
  const measure = { times: 0 };
  const run = () => Promise.resolve((measure.times += 1));
  const restless = repeat({ name: 'the measure', everyMs: 1, run }, { logger });
  await waitFor(() => measure.times >= 30);
  await restless.stop();
}
const comesAgain = async (count: { readonly times: number }) => {
  const before = count.times;
  await waitFor(() => count.times > before);
};

describe('a periodic job', () => {
  it('rests while nothing happens', async () => {
    const resting = counted();
    await aWhile();
    expect(resting.times).toBe(1);
  });

  it('comes when something happens, and goes on as long as it is lively', async () => {
    const job = counted();
    await aWhile();
    activity.written();
    for (let time = 0; time < 5; time += 1) await comesAgain(job);
    aMinuteLater();
    await aWhile();
    const { times } = job;
    await aWhile();
    expect(job.times).toBe(times);
  });

  it('comes when what it knows of is due, however quiet it is', async () => {
    const job = counted({ untilDueMs: () => Promise.resolve(5) });
    for (let time = 0; time < 3; time += 1) await comesAgain(job);
  });

  it('never rests where it says so', async () => {
    const job = counted({ untilDueMs: always });
    for (let time = 0; time < 5; time += 1) await comesAgain(job);
  });

  it('comes all the same, in the end, when nobody has told of anything', async () => {
    const job = counted({}, { restMs: 20 });
    for (let time = 0; time < 3; time += 1) await comesAgain(job);
  });

  it('comes again where something has happened while it was at work', async () => {
    let isFirst = true;
    const job = counted({
      untilDueMs: () => {
        if (isFirst) activity.happened();
        isFirst = false;
        return Promise.resolve(HOUR_MS);
      },
    });
    await waitFor(() => job.times > 1);
  });

  it('wakes others when it says that it has found something, and not by what it writes', async () => {
    const other = counted();
    const writing = counted({
      run: () => {
        activity.written();
        return Promise.resolve();
      },
    });
    await aWhile();
    expect([other.times, writing.times]).toEqual([1, 1]);
    counted({ run: () => Promise.resolve(2) });
    await comesAgain(other);
  });

  it('comes no sooner than its time, however much happens', async () => {
    const job = counted({ everyMs: HOUR_MS / 2 });
    await aWhile();
    for (let time = 0; time < 10; time += 1) activity.happened();
    await aWhile();
    expect(job.times).toBe(1);
  });

  it('comes at once for whoever wakes it, also at rest', async () => {
    const job = counted();
    await aWhile();
    job.wake();
    await comesAgain(job);
  });

  it('rests also when it cannot say what is due', async () => {
    const job = counted({ untilDueMs: () => Promise.reject(new Error('no database')) });
    await aWhile();
    expect(job.times).toBe(1);
  });
});
