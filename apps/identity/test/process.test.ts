import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateServiceKeys } from '@platform-backend/auth';
import { createLogger } from '@platform-backend/core/logger';
import { setUpStreams } from '@platform-backend/events/set-up';
import {
  processEnvironment,
  throwawayNats,
  throwawayPostgres,
  waitFor,
  type ThrowawayPostgres,
} from '@platform-backend/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { compose } from '../src/areas.ts';
import { service } from '../src/service.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const keys = await generateServiceKeys(['identity']);
let database: ThrowawayPostgres;
beforeAll(async () => {
  database = await throwawayPostgres();
});
afterAll(() => database.drop());

type LogLine = Readonly<Record<string, unknown>>;

/** Runs the service as it runs in production; answers its log line by line and its exit code. */
function run(env: Readonly<Record<string, string>>, ...args: string[]) {
  const child = spawn(process.execPath, [main, ...args], { env: { ...processEnvironment(), ...env } });
  const lines: LogLine[] = [];
  let rest = '';
  const ready = Promise.withResolvers<LogLine>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const line = JSON.parse(part) as LogLine;
      lines.push(line);
      if (line['ready'] === true) ready.resolve(line);
    }
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  void exited.then((code) => ready.reject(new Error(`it ended with ${code} before it was ready`)));
  ready.promise.catch(() => undefined);
  return { child, lines, ready: ready.promise, exited };
}

const environment = () => ({
  IDENTITY_DATABASE_URL: database.appUrl,
  IDENTITY_LISTEN: '127.0.0.1:0',
  NATS_URL: 'nats://127.0.0.1:9',
  SERVICE_PUBLIC_KEYS: JSON.stringify(keys.publicKeys),
});

describe('the process of identity', () => {
  it('migrates alone when asked to, and finds nothing left to do the second time', async () => {
    const migrations = readdirSync(new URL('../migrations/', import.meta.url)).length;
    for (const expected of [migrations, 0]) {
      const { exited, lines } = run({ ...environment(), IDENTITY_MIGRATION_URL: database.ownerUrl }, 'migrate');
      expect(await exited).toBe(0);
      expect(lines.at(-1)).toMatchObject({ msg: 'identity is migrated' });
      expect(lines.at(-1)?.['applied']).toHaveLength(expected);
    }
  });

  it('does what an operator asks about its events, and nothing that it does not know', async () => {
    const asked = async (...args: string[]) => {
      const { child, exited, lines } = run(environment(), ...args);
      let complaint = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
      return { code: await exited, lines, complaint };
    };
    expect(await asked('events', 'set-aside', 'list')).toEqual({ code: 0, lines: [], complaint: '' });
    const unknown = await asked('evnts');
    expect(unknown).toMatchObject({ code: 1, lines: [] });
    expect(unknown.complaint).toContain('it knows migrate, events, organisation, secrets, and not \\"evnts\\"');
    const books = await asked('organisation', 'restore', 'org_a', '--from', 'postgres://nobody@127.0.0.1:1/identity');
    expect(books).toMatchObject({ code: 1, lines: [] });
    expect(books.complaint).toContain('it keeps people or books');
  });

  it('says where it listens, even while NATS is away, and ends cleanly when told to', async () => {
    const { child, ready, exited } = run(environment());
    expect((await ready)['address']).toMatch(/^127\.0\.0\.1:\d+$/);
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });

  it('shows in its metrics what waits for somebody, and answers for itself while its database is away', async () => {
    const nats = await throwawayNats();
    await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(240_000) });
    const server = new pg.Client({ connectionString: database.superuserUrl });
    const inside = new pg.Client({ connectionString: database.adminUrl });
    await Promise.all([server.connect(), inside.connect()]);
    const { child, ready, exited } = run({ ...environment(), NATS_URL: nats.url });
    try {
      const { metricsAddress } = await ready;
      const shown = async (): Promise<string[]> => {
        const page = await fetch(`http://${String(metricsAddress)}/metrics`);
        expect(page.status).toBe(200);
        return (await page.text()).split('\n');
      };
      await inside.query(
        `INSERT INTO outbox (id, organisation_id, type, subject, envelope) VALUES ('1', 'org_1', 'no event type', 'x', '{}')`,
      );
      await inside.end();
      await waitFor(async () => (await shown()).includes('events_set_aside 1'));
      expect(await shown()).toContain('events_set_aside_total 1');

      await server.query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS false`);
      await server.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database.name]);
      const isSetAside = (line: string): boolean => /^events_set_aside \d/.test(line);
      const away = await waitFor(async () => {
        const lines = await shown();
        return lines.some(isSetAside) ? undefined : lines;
      });
      expect(away).toEqual(
        expect.arrayContaining([
          'events_set_aside_total 1',
          'log_lines_lost_total 0',
          expect.stringMatching(/^process_/),
        ]),
      );

      await server.query(`ALTER DATABASE ${database.name} ALLOW_CONNECTIONS true`);
      await waitFor(async () => (await shown()).some(isSetAside));
    } finally {
      child.kill('SIGTERM');
      expect(await exited).toBe(0);
      await server.end();
      await nats.drop();
    }
  });

  it('names in one sentence everything that is wrong with its environment', async () => {
    const { exited, lines } = run({ IDENTITY_DATABASE_URL: 'nonsense' });
    expect(await exited).toBe(1);
    const message = String(lines.at(-1)?.['msg']);
    for (const name of ['IDENTITY_DATABASE_URL', 'NATS_URL', 'SERVICE_PUBLIC_KEYS']) expect(message).toContain(name);
  });

  it('closes what it had opened when its port is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const watcher = new pg.Client({ connectionString: database.ownerUrl });
    await watcher.connect();
    const others = 'SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';
    try {
      const listen = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
      const env = { ...environment(), IDENTITY_LISTEN: listen };
      const logger = createLogger({ service: 'identity', level: 'silent' });
      await expect(service.start(compose, { env, logger })).rejects.toThrow(`Cannot listen on ${listen}`);
      await waitFor(async () => (await watcher.query(others)).rowCount === 0, {
        what: 'every connection to be closed',
      });
    } finally {
      await watcher.end();
      holder.close();
    }
  });

  it('refuses to run with a role that policies do not bind', async () => {
    const { exited, lines } = run({ ...environment(), IDENTITY_DATABASE_URL: database.ownerUrl });
    expect(await exited).toBe(1);
    expect(lines.at(-1)?.['msg']).toContain('too powerful');
  });
});
