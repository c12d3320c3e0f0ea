import { describe, expect, it } from '@jest/globals';
import { requireCaller, withCaller } from '@platform-backend/core';
import type { KernelFolder } from '../domain/kernel-folder.ts';
import { folderInMemory, type FolderInMemory } from '../test/folder-in-memory.ts';
import { kernelMessage, readHeader, readJson } from './jupyter/messages.ts';
import { kernelPreparation } from './kernel-preparation.ts';
import type { KernelRun } from './kernel-run.ts';

const cell = Buffer.from('{"msg_id":"cell"}');

/** A kernel that takes whatever it is sent, and tells what the test says; `changed` is its folder but for these parts. */
async function prepared(folder: FolderInMemory, changed: Partial<KernelFolder> = {}) {
  const warned: string[] = [];
  const sent: Record<string, unknown>[] = [];
  /** Runs a cell, and reads nothing meanwhile. */
  const busy = { is: false, sentBytes: 0, asked: [] as Uint8Array[] };
  const answer = (parent: Uint8Array) =>
    preparation?.take(kernelMessage('shell', 'preparation_reply', {}, { session: 'kernel', parent }));
  const preparation = kernelPreparation(
    { folder: { ...folder, ...changed } },
    { session: 'service', warn: (text) => void warned.push(text) },
  );
  if (!preparation) throw new Error('There is a folder');
  const begin = async () => {
    const ended = Promise.withResolvers<string>();
    const run: KernelRun = {
      send(message) {
        const type = readHeader(message.header)?.msg_type ?? '';
        if (type !== 'preparation_request') sent.push({ type, ...readJson(message.content) });
        else if (busy.is) busy.asked.push(message.header);
        else answer(message.header);
        busy.sentBytes += message.buffers[0]?.length ?? 0;
        return Promise.resolve();
      },
      interrupt: () => Promise.resolve(),
      end: () => {
        ended.resolve('It was ended');
        return Promise.resolve();
      },
      ended: ended.promise,
    };
    await preparation.begin(run);
    return run;
  };
  const tell = (content: object, piece = '') => {
    const message = kernelMessage('iopub', 'folder_changed', content, { session: 'kernel', parent: cell });
    preparation.take({ ...message, buffers: [Buffer.from(piece)] });
  };
  let told = 0;
  /** One file that a cell has written, and its end. */
  const write = (path: string, text: string, brought = 1_000) => {
    tell({ path, added: false, more: false }, text);
    tell({ end: (told += 1), brought });
  };
  /** Resolves when all of what was told is kept. */
  const kept = async () => {
    const reply = kernelMessage('shell', 'execute_reply', {}, { session: 'kernel', parent: cell });
    await preparation.before({ ...reply, metadata: Buffer.from(JSON.stringify({ folder: told })) });
  };
  const run = await begin();
  return { preparation, begin, tell, write, kept, run, sent, warned, busy, answer };
}

describe('what a kernel tells of its folder', () => {
  it('is kept with what was told anew after an interrupt', async () => {
    const folder = folderInMemory();
    const { tell, write, kept } = await prepared(folder);
    tell({ path: 'x', added: false, more: true }, 'half of ');
    write('x', 'all of it');
    await kept();
    expect(folder.files.get('x')?.toString()).toBe('all of it');
  });

  it('is kept, and brought, whoever has begun the kernel and is gone', async () => {
    const folder = folderInMemory();
    const changed: Partial<KernelFolder> = {
      list() {
        requireCaller();
        return folder.list();
      },
      write(changes) {
        requireCaller();
        return folder.write(changes);
      },
    };
    const gone = { signal: AbortSignal.abort() };
    const { preparation, write, kept, run, sent } = await withCaller(gone, () => prepared(folder, changed));
    await withCaller(gone, () => {
      write('x', 'of a cell');
      return kept();
    });
    folder.files.set('y', Buffer.from('of a member'));
    await withCaller(gone, () => preparation.refresh(run));
    expect([[...folder.files.keys()], sent.map(({ path }) => path)]).toEqual([['x', 'y'], ['y']]);
  });

  it('stays in the kernel where it is refused, whatever others bring', async () => {
    const folder = folderInMemory({ old: 'kept' });
    const { preparation, write, kept, run, sent } = await prepared(folder);
    folder.refuse('there is no room');
    for (const path of ['new', 'old']) write(path, 'of the cell');
    await kept();
    sent.length = 0;
    folder.files.set('other', Buffer.from('of a member'));
    await preparation.refresh(run);
    expect(sent.map(({ path }) => path)).toEqual(['other']);
  });

  it('is dropped where something else is on its way, and not once that is there', async () => {
    const folder = folderInMemory({ x: 'first' });
    const { preparation, write, kept, run, sent } = await prepared(folder);
    folder.files.set('x', Buffer.from('of a member'));
    await preparation.refresh(run);
    const at = Number(sent.at(-1)?.['at']);
    write('x', 'of before', at - 1);
    await kept();
    expect(folder.files.get('x')?.toString()).toBe('of a member');
    write('x', 'of the next cell', at);
    await kept();
    expect(folder.files.get('x')?.toString()).toBe('of the next cell');
  });

  it('is not undone by a list of before', async () => {
    const folder = folderInMemory({ x: 'first' });
    const listed = Promise.withResolvers<undefined>();
    let isHeld = false;
    const { preparation, write, kept, run, sent } = await prepared(folder, {
      async list() {
        const files = await folder.list();
        if (isHeld) await listed.promise;
        return files;
      },
    });
    isHeld = true;
    sent.length = 0;
    const refreshed = preparation.refresh(run);
    await new Promise(setImmediate);
    write('x', 'second');
    await kept();
    isHeld = false;
    listed.resolve(undefined);
    await refreshed;
    await preparation.refresh(run);
    expect(sent).toEqual([]);
    expect(folder.files.get('x')?.toString()).toBe('second');
  });

  it('is brought to a kernel that is busy as far as there is memory, and the rest when that is read', async () => {
    const folder = folderInMemory();
    const { preparation, run, sent, busy, answer } = await prepared(folder);
    busy.is = true;
    const refreshed: Promise<void>[] = [];
    for (let at = 0; at < 6; at += 1) {
      folder.files.set('x', Buffer.alloc(8 * 2 ** 20, at));
      refreshed.push(preparation.refresh(run));
      await new Promise(setImmediate);
    }
    expect(busy.sentBytes).toBe(24 * 2 ** 20);
    busy.is = false;
    for (const asked of busy.asked) answer(asked);
    await Promise.all(refreshed);
    expect(busy.sentBytes).toBe(40 * 2 ** 20);
    expect(sent.at(-1)).toMatchObject({ path: 'x', more: false });
  });

  it('is there in the next life, however much of it waited to be kept', async () => {
    const folder = folderInMemory();
    const go = Promise.withResolvers<undefined>();
    const { write, begin, run, sent } = await prepared(folder, {
      async write(changes) {
        await go.promise;
        return folder.write(changes);
      },
    });
    write('first', '1');
    write('second', '2');
    await run.end();
    const begun = begin();
    go.resolve(undefined);
    await begun;
    expect(sent.map(({ path }) => path)).toEqual(['first', 'second']);
  });

  it('has no more memory than there is, says so once, and is told again', async () => {
    const folder = folderInMemory();
    let isStanding = true;
    const go = Promise.withResolvers<undefined>();
    let maxTaken = 0;
    const { tell, write, kept, run, sent, warned } = await prepared(folder, {
      take(bytes) {
        if (folder.taken + bytes > 100_000) return false;
        folder.take(bytes);
        maxTaken = Math.max(maxTaken, folder.taken);
        return true;
      },
      async write(changes) {
        if (isStanding) await go.promise;
        return folder.write(changes);
      },
    });
    write('x', 'kept');
    // Of nothing, of notes, and of ends: none is free.
    for (let at = 0; at < 1_000; at += 1) tell({ path: 'y', added: at > 0, more: true });
    for (let at = 0; at < 1_000; at += 1) tell({ path: `z${String(at)}`, too_large: 2 ** 30 });
    for (let at = 2; at < 1_000; at += 1) tell({ end: at, brought: 0 });
    isStanding = false;
    go.resolve(undefined);
    await kept();
    await new Promise(setImmediate);
    expect([folder.taken, maxTaken <= 100_000]).toEqual([0, true]);
    expect([...folder.files.keys()]).toEqual(['x']);
    expect(warned.filter((text) => text.includes('no room for so much at once'))).toHaveLength(1);
    expect(sent).toEqual([{ type: 'folder_forget' }]);
    tell({ path: 'unfinished', added: false, more: true }, 'x');
    expect(folder.taken).toBeGreaterThan(0);
    await run.end();
    await new Promise(setImmediate);
    expect(folder.taken).toBe(0);
  });
});
