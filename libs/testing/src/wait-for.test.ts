import { describe, expect, it } from '@jest/globals';
import { waitFor } from './wait-for.ts';

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
