import { describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';
import { fileSlots, readFile } from './read-file.ts';

describe('files that come with requests', () => {
  it('are read of one organisation after the other, however many one brings, and leave a reader to documents', async () => {
    const begun: string[] = [];
    const finish: (() => void)[] = [];
    const read = readFile({
      files: { withTemporary: (_content, work) => work('/a') },
      extract: async (_file, { organisationId }) => {
        begun.push(organisationId);
        const { promise, resolve } = Promise.withResolvers<undefined>();
        finish.push(() => resolve(undefined));
        await promise;
        return { text: 'Read.' } as never;
      },
      slots: fileSlots(3),
    });
    const file = { name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array(1) };
    const nobodyStops = new AbortController().signal;
    const all = ['a', 'a', 'a', 'b', 'b'].map((organisation) => read(organisation, file, nobodyStops));
    for (const [at, now] of [
      ['a', 'b'],
      ['a', 'b', 'a'],
      ['a', 'b', 'a', 'b'],
    ].entries()) {
      await setImmediate();
      expect(begun).toEqual(now);
      finish[at]?.();
    }
    await setImmediate();
    for (const end of finish) end();
    await setImmediate();
    for (const end of finish) end();
    expect(await Promise.all(all)).toEqual(Array(5).fill('Read.'));
  });

  it('wait no longer than they are wanted', async () => {
    const slots = fileSlots(1);
    const read = readFile({
      files: { withTemporary: () => new Promise(() => undefined) },
      extract: () => Promise.reject(new Error('nobody asks for it')),
      slots,
    });
    const file = { name: 'a.txt', mediaType: 'text/plain', bytes: new Uint8Array(1) };
    const wanted = new AbortController();
    void read('a', file, new AbortController().signal);
    const waits = read('a', file, wanted.signal);
    wanted.abort(new Error('gone'));
    await expect(waits).rejects.toMatchObject({ kind: 'unavailable' });
    expect(slots.waiting).toBe(0);
  });
});
