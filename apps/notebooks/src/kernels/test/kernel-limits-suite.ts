import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KernelHandle, KernelProvider } from '../domain/kernel-provider.ts';
import { kernelClient } from './kernel-client.ts';
import { startKernel } from './kernel-suite.ts';

/** What the service sees to in the same way, whatever makes a kernel run (`liveKernel`), and so is tried on one kind of them. */
export function kernelLimitsSuite(name: string, open: () => Promise<KernelProvider>): void {
  describe(`the limits of a kernel of ${name}`, () => {
    let provider: KernelProvider;
    let limited: KernelHandle;
    beforeAll(async () => {
      provider = await open();
      limited = await startKernel(provider, { outputBytes: 100_000 });
    });
    afterAll(async () => await provider.close());

    it('cuts off output beyond its limit, says so once, and still answers', async () => {
      const own = kernelClient(limited);
      const { reply, text } = await own.execute('for _ in range(2000): print("w" * 100)');
      expect(reply).toMatchObject({ status: 'ok' });
      expect(text('stdout').length).toBeLessThanOrEqual(100_000);
      expect(text('stderr').match(/The output is longer than 100000 bytes/g)).toHaveLength(1);
      expect((await own.execute('print("again")')).text('stdout')).toBe('again\n');
    });

    it('is interrupted at its time limit', async () => {
      const hurried = await startKernel(provider, { executeSeconds: 1 });
      const { reply, text } = await kernelClient(hurried).execute('import time\ntime.sleep(600)');
      expect(reply).toMatchObject({ ename: 'KeyboardInterrupt' });
      expect(text('stderr')).toContain('The time limit of 1 s is reached');
      await hurried.shutdown();
    });

    it('ends when it is shut down, and refuses everything after that', async () => {
      const own = kernelClient(limited);
      await own.execute('1');
      await limited.shutdown();
      await limited.shutdown();
      for (const call of [() => own.execute('1'), () => limited.interrupt(), () => limited.restart()]) {
        await expect(call()).rejects.toMatchObject({ kind: 'unavailable' });
      }
    });
  });
}
