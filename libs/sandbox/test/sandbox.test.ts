import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSandbox, type Sandbox } from '../src/index.ts';
import { startGuest, type Guest } from './guest.ts';
import { processesWith } from './processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'sandbox-'));
const sandbox: Sandbox = await openSandbox({
  binary: process.env['BWRAP_BINARY'],
  cacheDirectory: join(tmpdir(), 'platform-programs'),
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describeWhere(sandbox.reason, 'a guest in a sandbox', () => {
  const readable = join(folder, 'readable');
  const writable = join(folder, 'writable');
  let guest: Guest;

  beforeAll(async () => {
    for (const path of [readable, writable]) mkdirSync(path);
    writeFileSync(join(readable, 'given.txt'), 'for the guest');
    writeFileSync(join(folder, 'ours.txt'), 'a secret');
    process.env['OUR_SECRET'] = 'a secret';
    guest = await startGuest(sandbox, {
      readable: [readable],
      writable: [writable],
      environment: { GIVEN: 'yes' },
      temporaryBytes: 2 ** 20,
    });
  });

  afterAll(async () => {
    delete process.env['OUR_SECRET'];
    await guest.end();
  });

  it('reads what it was given, and writes where it may', async () => {
    const given = JSON.stringify(join(readable, 'given.txt'));
    expect(await guest.run(`return require('fs').readFileSync(${given}, 'utf8')`)).toBe('for the guest');
    expect(await guest.run(`require('fs').writeFileSync(${given}, '')`)).toBe('refused: EROFS');
    const made = join(writable, 'made.txt');
    await guest.run(`require('fs').writeFileSync(${JSON.stringify(made)}, 'by the guest')`);
    expect(readFileSync(made, 'utf8')).toBe('by the guest');
  });

  it.each(['/etc/passwd', '/root', '/home', '/usr/bin', '/sys/class', join(folder, 'ours.txt'), import.meta.filename])(
    'does not see %s',
    async (path) => {
      expect(await guest.run(`return require('fs').statSync(${JSON.stringify(path)}).size`)).toBe('refused: ENOENT');
    },
  );

  it('leaves nothing where it was given nothing', async () => {
    for (const path of ['/left', '/dev/left', '/dev/shm/left', '/proc/left']) {
      expect(await guest.run(`require('fs').writeFileSync(${JSON.stringify(path)}, 'x')`)).toMatch(
        /^refused: E(ROFS|NOENT|ACCES)$/,
      );
      expect(existsSync(path)).toBe(false);
    }
    await guest.run(`require('fs').writeFileSync(${JSON.stringify(join(folder, 'left'))}, 'x')`);
    expect(existsSync(join(folder, 'left'))).toBe(false);
  });

  it('fills the temporary folder of its own up to its size', async () => {
    expect(await guest.run(`require('fs').writeFileSync('/tmp/small', Buffer.alloc(2 ** 19))`)).toBeUndefined();
    expect(await guest.run(`require('fs').writeFileSync('/tmp/large', Buffer.alloc(2 ** 20))`)).toBe('refused: ENOSPC');
  });

  it('has the environment that it was given, in no process of its own more', async () => {
    const seen = (await guest.run(`
      const fs = require('fs');
      const processes = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
      const read = (name) => { try { return fs.readFileSync('/proc/' + name + '/environ', 'utf8'); } catch { return ''; } };
      return { own: process.env, all: processes.map(read).join(), count: processes.length };
    `)) as { own: Record<string, string>; all: string; count: number };
    expect(seen.own).toMatchObject({ GIVEN: 'yes' });
    expect(Object.keys(seen.own).sort()).toEqual(['GIVEN', 'PWD']);
    expect(seen.all).not.toMatch(/OUR_SECRET|a secret|PATH=/);
    expect(seen.count).toBeLessThanOrEqual(2);
  });

  it('reaches no server of this machine', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const answer = await guest.run(`
      const socket = require('net').connect(${port}, '127.0.0.1');
      await new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject));
    `);
    server.close();
    expect(answer).toMatch(/^refused: (EAFNOSUPPORT|ENETUNREACH|ECONNREFUSED)$/);
  });

  it('sees and reaches no process of others, and starts none', async () => {
    expect(await guest.run(`process.kill(${process.pid}, 'SIGKILL')`)).toBe('refused: ESRCH');
    const start = (options = '') => `
      const child = require('child_process').spawn(process.execPath, ['-e', ''] ${options});
      await new Promise((resolve, reject) => child.on('exit', resolve).on('error', reject));`;
    expect(await guest.run(start())).toBe('refused: EPERM');
    expect(await guest.run(`new (require('worker_threads').Worker)('', { eval: true }); return 'a thread'`)).toBe(
      'a thread',
    );
  });

  it('is killed with all that it started when it holds more memory than it may', async () => {
    let told = 0;
    const eater = await startGuest(sandbox, {
      memoryBytes: 200 * 2 ** 20,
      mayFork: true,
      onTooMuchMemory: () => (told += 1),
    });
    const ended = once(eater.process, 'exit');
    eater.process.send(`
      const eat = 'const kept = []; setInterval(() => kept.push(Buffer.alloc(10 * 2 ** 20, 1)), 5)';
      require('child_process').spawn(process.execPath, ['-e', eat], { stdio: 'ignore' });
      await new Promise(() => undefined);
    `);
    const [, signal] = (await ended) as [unknown, string];
    expect({ signal, told }).toEqual({ signal: 'SIGKILL', told: 1 });
  });

  it('has limits of CPU and of what it writes, and stands back behind others', async () => {
    const limited = await startGuest(sandbox, { writable: [writable], cpuSeconds: 2, fileBytes: 1024, niceness: 10 });
    const status = `return require('os').getPriority()`;
    expect(await limited.run(status)).toBeGreaterThanOrEqual(10);
    const file = JSON.stringify(join(writable, 'large.txt'));
    expect(await limited.run(`require('fs').writeFileSync(${file}, Buffer.alloc(10_000))`)).toBe('refused: EFBIG');
    const ended = once(limited.process, 'exit');
    limited.process.send('for (;;);');
    expect(await ended).toEqual([128 + 24, null]);
  });

  it('ends when whoever started it is killed', async () => {
    const starter = join(import.meta.dirname, 'guests/starter.ts');
    const parent = fork(starter, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
    const [marker] = (await once(parent, 'message')) as [string];
    expect(processesWith(marker)).not.toHaveLength(0);
    parent.kill('SIGKILL');
    await waitFor(() => processesWith(marker).length === 0);
  });
});

describe('a sandbox that cannot be opened', () => {
  it('is none, says why, and leaves nothing behind that keeps the process alive', async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const before = timers();
    const none = await openSandbox({ binary: join(folder, 'no-bubblewrap') });
    expect(none).toMatchObject({ kind: 'none', reason: expect.stringContaining('ENOENT') });
    expect(timers()).toBe(before);
  });
});
