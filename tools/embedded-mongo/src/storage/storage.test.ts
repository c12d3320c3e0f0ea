import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Storage } from './storage.ts';
import type { View } from './view.ts';

describe('the queue of writes', () => {
  let directory: string;
  let storage: Storage;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'storage-'));
    storage = new Storage(directory);
  });
  afterEach(async () => {
    await storage.close();
    rmSync(directory, { recursive: true });
  });

  const remember = (session: string) => (view: View) => {
    const insert = 'INSERT INTO retryable_writes (session, number, reply, written_at) VALUES (?, ?, ?, ?)';
    view.statement(insert).run(session, '1', Buffer.alloc(5), 0);
    return session;
  };
  const remembered = () =>
    storage.committed
      .statement('SELECT session FROM retryable_writes ORDER BY session')
      .all()
      .map((row) => row['session']);
  /** As SQLite does by itself when the disk is full or broken. */
  const lost = (view: View): void => view.handle.exec('ROLLBACK');

  it('goes on behind a transaction that SQLite has rolled back by itself', async () => {
    const transaction = await storage.begin(new AbortController().signal);
    remember('a')(transaction.view);
    lost(transaction.view);
    transaction.rollback();
    expect(await storage.write(remember('b'))).toBe('b');
    expect(remembered()).toEqual(['b']);
  });

  it('goes on behind a transaction whose commit fails for that reason, which is told', async () => {
    const transaction = await storage.begin(new AbortController().signal);
    lost(transaction.view);
    await expect(transaction.commit()).rejects.toThrow('no transaction is active');
    expect(await storage.write(remember('b'))).toBe('b');
  });

  it('refuses the other writes of a transaction that SQLite has rolled back, and takes those behind them', async () => {
    const writes = [
      storage.write(remember('a')),
      storage.write((view) => {
        lost(view);
        throw new Error('the disk is full');
      }),
      storage.write(remember('c')),
    ];
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { message: 'the disk is full' } },
      { status: 'rejected', reason: { message: 'the disk is full' } },
      { status: 'fulfilled', value: 'c' },
    ]);
    expect(remembered()).toEqual(['c']);
  });
});
