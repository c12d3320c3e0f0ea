import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

type Line = Record<string, unknown>;

/** Runs the service of `services/any-service.ts`; `react` may answer each of its lines with a signal. */
async function run(
  behaviour: string,
  react: (line: Line) => NodeJS.Signals | undefined = () => undefined,
): Promise<{ code: number | null; lines: Line[]; stderr: string }> {
  const node = [process.execPath, join(import.meta.dirname, 'services/any-service.ts'), behaviour];
  const child = spawn('sh', ['-c', 'ulimit -n 256 && exec "$@"', 'sh', ...node]);
  const lines: Line[] = [];
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  createInterface(child.stdout).on('line', (text) => {
    const line = JSON.parse(text) as Line;
    lines.push(line);
    const signal = react(line);
    if (signal) child.kill(signal);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, lines, stderr };
}
const whenReady = (signal: NodeJS.Signals) => (line: Line) => (line['ready'] === true ? signal : undefined);

describe('a service that is run as a process', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('says that it is ready and where, and drains on %s', async (signal) => {
    const { code, lines, stderr } = await run('normal', whenReady(signal));
    expect(code).toBe(0);
    expect(lines.map(({ msg }) => msg)).toEqual([
      'any service ready',
      `any service received ${signal} and drains`,
      'closing',
      'closed',
      'any service stopped',
    ]);
    expect(lines[0]).toMatchObject({ ready: true, address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) });
    expect(stderr).toBe('');
  });

  it('says so when it comes near its limit of open files', async () => {
    const { code, lines } = await run('hungry', ({ event }) => (event === 'open_files.many' ? 'SIGTERM' : undefined));
    expect(code).toBe(0);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'warn', event: 'open_files.many', open: expect.any(Number), limit: 256 }),
    );
  });

  it('may return its stop function alone', async () => {
    const { code, lines } = await run('plain', whenReady('SIGTERM'));
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ ready: true });
  });

  it('that cannot start ends with code 1 and one clear sentence', async () => {
    const { code, lines, stderr } = await run('broken');
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.objectContaining({ level: 'fatal', msg: 'any service could not start: the database refuses connections' }),
    ]);
    expect(stderr).toBe('');
  });

  it('that is wrongly configured names every problem and shows no stack', async () => {
    const { code, lines } = await run('unconfigured');
    expect(code).toBe(1);
    expect(lines[0]).toMatchObject({
      level: 'fatal',
      problems: [expect.stringContaining('PORT'), expect.stringContaining('NATS_URL')],
    });
    expect(lines[0]).not.toHaveProperty('err');
  });

  it('that does not drain in time is ended with code 1', async () => {
    const { code, lines } = await run('hanging', whenReady('SIGTERM'));
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      msg: 'any service did not drain within 300 ms and was ended',
    });
  });

  it('is ended at once by a second signal', async () => {
    const { code, lines } = await run('hanging', (line) =>
      line['ready'] === true || line['msg'] === 'closing' ? 'SIGTERM' : undefined,
    );
    expect(code).toBe(1);
    expect(lines.some(({ msg }) => String(msg).includes('did not drain'))).toBe(false);
  });

  it('that drains is not cut off by one more failure, but ends with code 1', async () => {
    const { code, lines } = await run('failing', whenReady('SIGTERM'));
    const words = lines.map(({ msg }) => msg);
    expect(words).toContain('any service ends after an unexpected failure');
    expect(words).toContain('closed');
    expect(code).toBe(1);
  });

  it('ends even when the system does not answer it, and says so', async () => {
    const { code, lines } = await run('stuck', whenReady('SIGTERM'));
    expect(code).toBeNull();
    expect(lines.at(-1)).toMatchObject({
      level: 'error',
      stuck: ['FSReqCallback'],
      msg: 'any service ends by force, for the system does not answer it',
    });
  });

  it('that cannot stop says why and ends with code 1', async () => {
    const { code, lines } = await run('unstoppable', whenReady('SIGTERM'));
    expect(code).toBe(1);
    expect(lines.at(-1)).toMatchObject({ level: 'error', err: { message: 'cannot let go' } });
  });

  it.each(['crashing', 'rejecting'])('that is %s says so, drains and ends with code 1', async (behaviour) => {
    const { code, lines } = await run(behaviour);
    expect(code).toBe(1);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message: 'unforeseen' }) }),
    );
    expect(lines.map(({ msg }) => msg)).toContain('closed');
  });

  it('that may outlive a rejected promise logs it and goes on', async () => {
    const { code, lines } = await run('forgiving', ({ msg }) =>
      msg === 'a rejected promise was not handled' ? 'SIGTERM' : undefined,
    );
    expect(code).toBe(0);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 'error', err: expect.objectContaining({ message: 'unforeseen' }) }),
    );
  });

  it('that can take no more connections says so and serves those it has', async () => {
    const { code, lines } = await run('crowded', ({ msg }) =>
      msg === 'a connection could not be taken' ? 'SIGTERM' : undefined,
    );
    expect(code).toBe(0);
    expect(lines).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: 'accept EMFILE' }) }),
    );
  });

  it('that learns only at its start how long it may drain gets that long', async () => {
    const { code, lines } = await run('patient', whenReady('SIGTERM'));
    expect(code).toBe(0);
    expect(lines.map(({ msg }) => msg)).toContain('closed');
  });
});
