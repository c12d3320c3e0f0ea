import { describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { lastPass, waitFor } from './wait-for.ts';

describe('waiting for a condition', () => {
  it('returns what the condition returned once that is truthy', async () => {
    let looks = 0;
    await expect(waitFor(() => (++looks === 3 ? 'there' : undefined), { interval: 1 })).resolves.toBe('there');
    expect(looks).toBe(3);
  });

  it('goes on while the condition throws', async () => {
    let looks = 0;
    const condition = (): boolean => {
      if (++looks < 3) throw new Error('not yet');
      return true;
    };
    await expect(waitFor(condition, { interval: 1 })).resolves.toBe(true);
  });

  it('gives up after its time, says for what it waited, and keeps the last error', async () => {
    const cause = new Error('still closed');
    const wait = waitFor(() => Promise.reject(cause), { timeout: 20, interval: 1, what: 'the door' });
    await expect(wait).rejects.toMatchObject({ message: 'waited 20 ms in vain for the door', cause });
  });
});

describe('the last pass of questions that may be refused', () => {
  it('is when the last question was asked that was not refused, however long the answers took', async () => {
    const asked: number[] = [];
    const slow = async (): Promise<boolean> => {
      asked.push(performance.now());
      const refused = asked.length === 3;
      await delay(20);
      return refused;
    };
    const passedAt = await lastPass(slow, { interval: 1 });
    expect(passedAt).toBeLessThanOrEqual(asked[1] ?? 0);
    expect(passedAt).toBeGreaterThan(asked[0] ?? Infinity);
  });

  it('never was when the first question is refused', async () => {
    expect(await lastPass(() => Promise.resolve(true))).toBe(-Infinity);
  });
});
