import { describe, expect, it } from '@jest/globals';
import { dependencyHealth } from './dependency-health.ts';

describe('the health of what a process cannot do without', () => {
  it('is asked for once a second, however many want to know, and heard of again afterwards', async () => {
    let [elapsedMs, asked, answers] = [0, 0, true];
    const health = dependencyHealth({
      elapsedMs: () => elapsedMs,
      ping: () => {
        asked += 1;
        return answers ? Promise.resolve() : Promise.reject(new Error('gone'));
      },
    });
    expect(await Promise.all([health.isUp(), health.isUp(), health.isUp()])).toEqual([true, true, true]);
    answers = false;
    expect([await health.isUp(), asked]).toEqual([true, 1]);
    elapsedMs = 1_000;
    expect([await health.isUp(), asked]).toEqual([false, 2]);
    answers = true;
    elapsedMs = 2_000;
    expect([await health.isUp(), asked]).toEqual([true, 3]);
  });

  it('is bad while it hangs, and is not given more to hang on', async () => {
    let asked = 0;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const health = dependencyHealth({
      limitMs: 5,
      ping: () => {
        asked += 1;
        return promise;
      },
    });
    expect([await health.isUp(), await health.isUp(), asked]).toEqual([false, false, 1]);
    resolve(undefined);
    await promise;
    expect(await health.isUp()).toBe(true);
  });
});
