import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { itWhere } from '@platform-backend/testing/where';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Talkative {
  readonly child: ChildProcess;
  /** Has it write so many lines of 1 KiB; answers how many it was asked for in all. */
  readonly write: (lines: number) => Promise<number>;
  /** As its metrics say. */
  readonly linesLost: () => Promise<number>;
  readonly exitCode: Promise<number | null>;
}

async function startTalkative(output: number | 'pipe'): Promise<Talkative> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'services/talkative-service.ts')], {
    stdio: ['ignore', output, 'pipe'],
  });
  const exitCode = once(child, 'exit').then(([code]) => code as number | null);
  const [said] = (await once(child.stderr ?? child, 'data')) as [Buffer];
  const [port = '', metricsAddress = ''] = said.toString().trim().split(' ');
  return {
    child,
    exitCode,
    linesLost: async () => {
      const page = await (await fetch(`http://${metricsAddress}/metrics`)).text();
      return Number(/^log_lines_lost_total (\d+)$/m.exec(page)?.[1]);
    },
    write: async (lines) => Number(await (await fetch(`http://127.0.0.1:${port}/${lines}`)).text()),
  };
}

interface Line {
  readonly msg: string;
  readonly number?: number;
  readonly lost?: number;
}

const linesIn = (log: string): Line[] =>
  log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const numbersOf = (lines: Line[]): number[] => lines.flatMap(({ number }) => number ?? []);
const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

/** More than the process keeps for later. */
const tooMany = 3_000;

/** What was lost is counted, what was not is whole and in order. */
function expectAllAccounted(lines: Line[], asked: number): void {
  const numbers = numbersOf(lines);
  const notes = lines.filter(({ lost }) => lost !== undefined);
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  expect(notes.length).toBeGreaterThan(0);
  for (const { msg, lost } of notes) expect(msg).toBe(`${String(lost)} log lines were lost`);
  expect(numbers.length + sum(notes.map(({ lost = 0 }) => lost))).toBe(asked);
}

describe('a service whose log', () => {
  const disk = mkdtempSync(join(tmpdir(), 'full-disk-'));
  const mount = (): boolean => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk]).status === 0;
  const unmount = (): boolean => spawnSync('umount', [disk]).status === 0;
  // Only root may, and not in every container.
  const mayMount = mount() && unmount();
  const noMount = mayMount ? undefined : 'no small disk may be mounted (root may, but not in every container)';

  beforeAll(() => {
    if (mayMount) mount();
  });
  afterAll(() => {
    if (mayMount) unmount();
    rmSync(disk, { recursive: true, force: true });
  });

  itWhere(noMount, 'is on a full disk goes on, and says how much is missing once there is room', async () => {
    const log = join(disk, 'service.log');
    const ballast = join(disk, 'ballast');
    writeFileSync(ballast, Buffer.alloc(4_000_000));
    const descriptor = openSync(log, 'a');
    const service = await startTalkative(descriptor);
    closeSync(descriptor);
    expect(await service.write(tooMany)).toBe(tooMany);
    expect(await service.write(1)).toBe(tooMany + 1);

    rmSync(ballast);
    await waitFor(() => readFileSync(log, 'utf8').includes('were lost'));
    expect(await service.write(1)).toBe(tooMany + 2);
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
    expectAllAccounted(linesIn(readFileSync(log, 'utf8')), tooMany + 2);
  });

  it('can never be written goes on all the same, and can be stopped', async () => {
    const full = openSync('/dev/full', 'w');
    const service = await startTalkative(full);
    closeSync(full);
    expect(await service.write(tooMany)).toBe(tooMany);
    expect(await service.write(tooMany)).toBe(2 * tooMany);
    expect(await service.linesLost()).toBeGreaterThan(tooMany);
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
  });

  it('nobody reads goes on, and says how much is missing to whoever reads it later', async () => {
    const service = await startTalkative('pipe');
    expect(await service.write(tooMany)).toBe(tooMany);
    expect(await service.write(1)).toBe(tooMany + 1);
    const output = service.child.stdout;
    if (!output) throw new Error('there is no pipe');
    const ended = once(output, 'end');
    let log = '';
    output.on('data', (chunk: Buffer) => (log += chunk.toString('latin1')));
    await waitFor(() => log.includes('were lost'));
    expect(await service.write(1)).toBe(tooMany + 2);
    const lost = await service.linesLost();
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
    await ended;
    const lines = linesIn(log);
    expect(lost).toBe(sum(lines.map((line) => line.lost ?? 0)));
    expectAllAccounted(lines, tooMany + 2);
    expect(lines.at(-1)?.msg).toBe('the talkative service stopped');
  });

  it('nobody ever reads can be stopped', async () => {
    const service = await startTalkative('pipe');
    expect(await service.write(tooMany)).toBe(tooMany);
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
  });

  it('nobody can read any more goes on', async () => {
    const service = await startTalkative('pipe');
    service.child.stdout?.destroy();
    expect(await service.write(tooMany)).toBe(tooMany);
    expect(await service.write(1)).toBe(tooMany + 1);
    service.child.kill('SIGTERM');
    expect(await service.exitCode).toBe(0);
  });
});
