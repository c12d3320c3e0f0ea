import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KernelHandle, KernelProvider } from '../domain/kernel-provider.ts';
import { folderInMemory } from './folder-in-memory.ts';
import { kernelClient, type KernelClient } from './kernel-client.ts';
import { startKernel } from './kernel-suite.ts';

/**
 * What a kernel that runs here does with the folder of its notebook, and with the environment of its organisation. Each two of
 * the tests have one kernel, for a start costs more than all that they do.
 */
export function kernelFolderSuite(name: string, open: () => Promise<KernelProvider>): void {
  describe(`the folder of a kernel of ${name}`, () => {
    let provider: KernelProvider;
    beforeAll(async () => {
      provider = await open();
    });
    afterAll(async () => await provider.close());

    describe('in two lives', () => {
      const folder = folderInMemory({ 'old.txt': 'old' });
      let token = 'first';
      let kernel: KernelHandle;
      let client: KernelClient;
      beforeAll(async () => {
        const environment = () => Promise.resolve({ API_TOKEN: token });
        kernel = await startKernel(provider, {}, { folder, environment });
        client = kernelClient(kernel);
      });

      it('has what others bring before its next cell, and no more what they remove', async () => {
        expect((await client.execute('print(open("old.txt").read())')).text('stdout')).toBe('old\n');
        folder.files.set('new.txt', Buffer.from('new'));
        folder.files.delete('old.txt');
        await kernel.refresh?.();
        const { text } = await client.execute('import os; print(os.listdir(), open("new.txt").read())');
        expect(text('stdout')).toBe("['new.txt'] new\n");
        expect(folder.writes).toBe(0);
        folder.files.delete('new.txt');
        await kernel.refresh?.();
      });

      it('keeps what cells write before they are answered, and has it in its next life, with its environment as that is then', async () => {
        const showToken = 'import os; print(os.environ["API_TOKEN"])';
        expect((await client.execute(showToken)).text('stdout')).toBe('first\n');
        await client.execute(`
import os
open("x.csv", "w").write("a,b")
os.makedirs("sub/empty")
open("sub/large.bin", "wb").write(bytes(range(256)) * 10_000)
os.symlink("x.csv", "link")`);
        expect([...folder.files.keys()].sort()).toEqual(['sub', 'sub/empty', 'sub/large.bin', 'x.csv']);
        expect(folder.files.get('sub/large.bin')).toEqual(Buffer.concat(Array<Buffer>(10_000).fill(everyByte)));
        await client.execute('open("x.csv", "w").write("c,d"); os.remove("sub/large.bin")');
        expect(folder.files.get('x.csv')?.toString()).toBe('c,d');
        expect([...folder.files.keys()].sort()).toEqual(['sub', 'sub/empty', 'x.csv']);
        await client.execute('os.rmdir("sub/empty"); open("sub/empty", "w").close()');
        expect(folder.files.get('sub/empty')).toEqual(Buffer.alloc(0));
        await client.execute('os.remove("sub/empty"); os.mkdir("sub/empty")');
        expect([folder.files.has('sub/empty'), folder.files.get('sub/empty')]).toEqual([true, undefined]);
        token = 'second';
        await kernel.restart();
        expect((await client.execute(showToken)).text('stdout')).toBe('second\n');
        const { text } = await client.execute(
          'import os; print(open("x.csv").read(), sorted(os.listdir()), os.listdir("sub"))',
        );
        expect(text('stdout')).toBe("c,d ['sub', 'x.csv'] ['empty']\n");
        expect(folder.writes).toBe(4);
        await kernel.shutdown();
      });
    });

    describe('that cannot keep everything', () => {
      const folder = folderInMemory({ 'z.txt': 'kept', 'closed/in.txt': 'kept' });
      let kernel: KernelHandle;
      let client: KernelClient;
      beforeAll(async () => {
        kernel = await startKernel(provider, {}, { folder });
        client = kernelClient(kernel);
      });

      it('says of what it does not keep that it does not, and tries again what could not be kept', async () => {
        // Of the folder of a file it is told as well.
        const before = new Set([...folder.files.keys(), 'closed']);
        folder.refuse('there is no room');
        expect((await client.execute('open("x", "w").write("1")')).text('stderr')).toContain('there is no room');
        folder.refuse(new Error('the database is away'));
        const { text } = await client.execute('open("y", "w").write("1")');
        expect(text('stderr')).toContain('What the cell has written is not kept when the kernel ends');
        folder.refuse(undefined);
        await client.execute('1');
        expect([...folder.files.keys()].filter((path) => !before.has(path)).sort()).toEqual(['x', 'y']);
        const large = await client.execute('open("large", "wb").write(bytes(9 * 2**20))');
        expect(large.text('stderr')).toContain('"large" is not kept when the kernel ends: it has 9 MiB');
        await client.execute('import os\nfor name in ["x", "y", "large"]: os.remove(name)');
      });

      it('keeps the rest where there is too much, or something cannot be read, and what others bring in place of a link', async () => {
        await client.execute('import os; os.chmod("closed", 0); open("a.txt", "w").write("a")');
        expect([folder.files.get('a.txt')?.toString(), folder.files.has('closed/in.txt')]).toEqual(['a', true]);
        await client.execute('os.symlink("a.txt", "link")');
        folder.files.set('link', Buffer.from('of a member'));
        await kernel.refresh?.();
        await client.execute('open("a.txt", "a").write("b")');
        expect(['link', 'a.txt'].map((path) => folder.files.get(path)?.toString())).toEqual(['of a member', 'ab']);
        await client.execute('for at in range(300): open(f"many-{at}", "w").close()');
        expect(['z.txt', 'a.txt', 'closed/in.txt'].filter((path) => !folder.files.has(path))).toEqual([]);
        await kernel.shutdown();
        expect(folder.taken).toBe(0);
      });
    });
  });
}

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
