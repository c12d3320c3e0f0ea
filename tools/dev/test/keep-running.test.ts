import { afterAll, describe, expect, it } from '@jest/globals';
import { isAlive, supervise, type SupervisedProcess } from '@platform-backend/embedded';
import { waitFor } from '@platform-backend/testing';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepRunning, type SupervisedService } from '../src/keep-running.ts';

const folder = mkdtempSync(join(tmpdir(), 'keep-running-'));
const logFile = join(folder, 'child.log');
const obstacle = join(folder, 'obstacle');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (signal: AbortSignal): Promise<SupervisedProcess<true>> =>
  supervise({
    name: 'child',
    command: 'sh',
    args: ['-c', `test -e ${obstacle} && { echo "ERROR: an obstacle"; exit 1; }; echo ready; exec sleep 600`],
    logFile,
    stopSignal: 'SIGTERM',
    ready: (line) => (line === 'ready' ? true : undefined),
    signal,
  });

const keep = async (
  signal = new AbortController().signal,
): Promise<{ child: SupervisedService<true>; said: string[] }> => {
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  return {
    child: await keepRunning({ name: 'child', start, logFile: 'child.log', say, signal, firstPauseMs: 20 }),
    said,
  };
};

const kill = (child: SupervisedService<true>): void => void process.kill(child.pid() ?? 0, 'SIGKILL');

describe('a child that is kept running', () => {
  it('fails at once when it cannot start the first time', async () => {
    writeFileSync(obstacle, '');
    await expect(keep()).rejects.toThrow('child ended with code 1 before it was ready');
    rmSync(obstacle);
  });

  it('is started again after a crash, with longer pauses while that fails', async () => {
    const { child, said } = await keep();
    writeFileSync(obstacle, '');
    kill(child);
    await waitFor(() => said.length >= 3);
    rmSync(obstacle);
    await waitFor(() => said.at(-1)?.startsWith('child is running again'));
    expect(said[0]).toBe('child ended by SIGKILL; starting it again in 0.0 s (log: child.log)');
    expect(said[1]).toContain('child did not start (child ended with code 1 before it was ready: an obstacle)');
    await child.stop();
  });

  it('is not started again once it was stopped, also in the middle of a pause', async () => {
    const { child, said } = await keep();
    const pid = child.pid() ?? 0;
    writeFileSync(obstacle, '');
    kill(child);
    await waitFor(() => said.length > 0);
    await child.stop();
    rmSync(obstacle);
    expect(isAlive(pid)).toBe(false);
    expect(child.pid()).toBeUndefined();
  });

  it('is restarted on request without a pause', async () => {
    const { child, said } = await keep();
    const pid = child.pid();
    await child.restart();
    await waitFor(() => said.length === 1);
    expect(said[0]).toMatch(/^child is restarted/);
    expect(child.pid()).not.toBe(pid);
    await child.stop();
    expect(existsSync(obstacle)).toBe(false);
  });

  it('is not started again when the whole platform stops', async () => {
    const ending = new AbortController();
    const { child, said } = await keep(ending.signal);
    ending.abort();
    await child.stop();
    expect(said).toEqual([]);
  });
});
