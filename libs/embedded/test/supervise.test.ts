import { afterAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import {
  endOrphan,
  isAlive,
  runToEnd,
  StartFailure,
  supervise,
  type SupervisedProcess,
  type Supervision,
} from '../src/index.ts';
import { temporaryFolder, until } from './temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const script = (text: string, more: Partial<Supervision<string>> = {}): Promise<SupervisedProcess<string>> =>
  supervise({
    name: 'the child',
    command: 'sh',
    args: ['-c', text],
    logFile: join(folder.path, 'child.log'),
    stopSignal: 'SIGTERM',
    ready: (line) => /^ready (.*)/.exec(line)?.[1],
    ...more,
  });

describe('a supervised child', () => {
  it('is ready when its own output says so, and tells what it said', async () => {
    const child = await script('echo starting; echo ready on 4711; exec sleep 600');
    expect(child.ready).toBe('on 4711');
    expect(isAlive(child.pid)).toBe(true);
    await expect(child.stop()).resolves.toEqual({ code: null, signal: 'SIGTERM' });
    expect(isAlive(child.pid)).toBe(false);
  });

  it('is not taken for ready because an earlier run wrote into the same log, or another process listens', async () => {
    const logFile = join(folder.path, 'shared.log');
    writeFileSync(logFile, 'ready since yesterday\n');
    const stranger = createServer().listen(0, '127.0.0.1');
    await expect(script('exit 3', { logFile })).rejects.toThrow('the child ended with code 3 before it was ready');
    stranger.close();
  });

  it('that ends too early is reported with the end of its output', async () => {
    const failure = await script('echo first; echo "the port is taken" >&2; exit 1').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StartFailure);
    expect((failure as StartFailure).output).toBe('first\nthe port is taken');
  });

  it('that stays silent is given up and killed', async () => {
    const pidFile = join(folder.path, 'silent.pid');
    const start = script(`echo $$ > ${pidFile}; exec sleep 600`, { readyTimeoutMs: 3_000 });
    await expect(start).rejects.toThrow('did not become ready in time');
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });

  it('that takes long is waited for as long as it shows that it gets on, and what it does is said', async () => {
    const said: string[] = [];
    // Three times as long as it might be silent.
    const work = 'for step in $(seq 30); do echo step $step; sleep 0.2; done; echo ready at last; exec sleep 600';
    const child = await script(work, {
      readyTimeoutMs: 2_000,
      sign: (line) => (line.startsWith('step') ? { doing: `is at ${line}` } : undefined),
      say: (text) => said.push(text),
    });
    expect(child.ready).toBe('at last');
    expect(said.at(-1)).toBe('the child is at step 30');
    await child.stop();
  });

  it('that gets on with nothing any more is given up, also after it did for a while', async () => {
    const work = 'echo step 1; sleep 0.2; echo step 2; while :; do echo still here; sleep 0.1; done';
    const start = script(work, {
      readyTimeoutMs: 300,
      sign: (line) => (line.startsWith('step') ? { doing: line, timeoutFactor: 2 } : undefined),
    });
    await expect(start).rejects.toThrow('did not become ready in time');
  });

  it('that cannot be found is reported as such', async () => {
    await expect(script('', { command: '/no/such/program', args: [] })).rejects.toThrow('the child');
  });

  it('that is no longer wanted is killed while it starts', async () => {
    const ending = new AbortController();
    const start = script('exec sleep 600', { signal: ending.signal });
    ending.abort();
    await expect(start).rejects.toThrow('was given up');
  });

  it('that ignores the signal is killed with its whole group after its time', async () => {
    const child = await script('trap "" TERM; sleep 600 & echo ready $!; while :; do wait; done', {
      stopTimeoutMs: 200,
    });
    await expect(child.stop()).resolves.toEqual({ code: null, signal: 'SIGKILL' });
    await until(() => !isAlive(Number(child.ready)), 'the end of the grandchild');
  });

  it('leaves nothing behind when its supervisor is killed with SIGKILL', async () => {
    const disposable = join(folder.path, 'disposable');
    mkdirSync(disposable);
    const supervisor = spawn(process.execPath, [
      join(import.meta.dirname, 'fixtures/supervisor-of-sleepers.ts'),
      join(folder.path, 'sleepers.log'),
      disposable,
    ]);
    const pids = await new Promise<number[]>((resolve) => {
      supervisor.stdout.once('data', (text: Buffer) => resolve(JSON.parse(text.toString()) as number[]));
    });
    expect(pids.map(isAlive)).toEqual([true, true]);
    supervisor.kill('SIGKILL');
    await until(() => !pids.some(isAlive), 'the end of the children');
    await until(() => !existsSync(disposable), 'the removal of the folder');
  });

  it('takes its folder with it when it is stopped', async () => {
    const disposable = join(folder.path, 'short-lived');
    mkdirSync(disposable);
    const child = await script('echo ready x; exec sleep 600', { removeAfterExit: disposable });
    await child.stop();
    expect(readdirSync(folder.path)).not.toContain('short-lived');
  });
});

describe('a child that does one thing and ends', () => {
  const run = (text: string, signal?: AbortSignal): Promise<void> =>
    runToEnd({
      name: 'the job',
      command: 'sh',
      args: ['-c', text],
      logFile: join(folder.path, 'job.log'),
      stopSignal: 'SIGTERM',
      signal,
    });

  it('is waited for, also when it says nothing', async () => {
    const done = join(folder.path, 'done');
    await run(`sleep 0.1; touch ${done}`);
    expect(existsSync(done)).toBe(true);
  });

  it('that fails is reported with the end of its output', async () => {
    await expect(run('echo "no such table"; exit 2')).rejects.toThrow('the job ended with code 2:\nno such table');
  });

  it('that is no longer wanted is killed', async () => {
    const ending = new AbortController();
    const pidFile = join(folder.path, 'job.pid');
    const ended = run(`echo $$ > ${pidFile}; exec sleep 600`, ending.signal);
    await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '', 'the start of the job');
    ending.abort();
    await expect(ended).rejects.toThrow('the job was given up');
    expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
  });
});

describe('an orphan of an earlier run', () => {
  it('is ended when its command line proves that it is ours', async () => {
    const child = await script('echo ready x; exec sleep 601.25');
    await expect(endOrphan(child.pid, 'sleep 601.25', 'SIGTERM')).resolves.toBe(true);
    expect(isAlive(child.pid)).toBe(false);
  });

  it('is left alone when its process id belongs to somebody else by now', async () => {
    const child = await script('echo ready x; exec sleep 600');
    await expect(endOrphan(child.pid, '/some/data/folder', 'SIGTERM')).resolves.toBe(false);
    expect(isAlive(child.pid)).toBe(true);
    await child.stop();
  });
});
