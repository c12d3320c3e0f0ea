import { afterAll, describe, expect, it } from '@jest/globals';
import { conflict } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { fairThread } from '../threads/fair-thread.ts';

const thread = fairThread<string, string>({
  worker: new URL('endless-worker.ts', import.meta.url),
  mayWaitOfOne: 4,
  mayWait: 8,
  timeoutMs: 60_000,
  limitMs: 5_000,
  tooMuch: () => conflict('too_complex', 'too complex'),
});
afterAll(() => thread.close());

describe('a thread for work that takes long', () => {
  it('ends what would take for ever, and does the work of everybody else', async () => {
    const [endless, other] = [thread.run('org_1', 'forever'), thread.run('org_2', 'mine')];
    expect(await refusalOf(endless)).toMatchObject({ code: 'too_complex' });
    expect(await other).toBe('mine');
    expect(await thread.run('org_1', 'mine')).toBe('mine');
  });

  it('refuses what still runs when the service stops', async () => {
    const running = thread.run('org_1', 'forever');
    const refused = refusalOf(running);
    await thread.close();
    expect(await refused).toMatchObject({ kind: 'unavailable' });
  });
});
