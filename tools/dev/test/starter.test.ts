import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, isAlive } from '@platform-backend/embedded';
import { setUpStreams } from '@platform-backend/events/set-up';
import { waitFor } from '@platform-backend/testing';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunFile } from '../src/run-file.ts';
import { allEnded, descendantsOf, spawnStarter, type StarterProcess } from './starter-process.ts';

describe('the starter', () => {
  let home: string;
  let env: Record<string, string>;
  let starter: StarterProcess;

  const readRun = (): RunFile => JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as RunFile;
  /** The environments of the gateway and the service. */
  const serving = (): string[] => {
    const about = (pid: number, what: string): string => {
      try {
        return readFileSync(`/proc/${String(pid)}/${what}`, 'utf8');
      } catch {
        // It has ended since it was counted, as those do that look around during a start.
        return '';
      }
    };
    const pids = descendantsOf(starter.pid).filter((pid) => about(pid, 'cmdline').includes('src/main.ts'));
    return pids.map((pid) => about(pid, 'environ'));
  };
  const token = (...args: string[]) =>
    spawnSync(process.execPath, [join(import.meta.dirname, '../src/token.ts'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'platform-home-'));
    chmodSync(home, 0o755);
    // The last as if the database of another service were a real one.
    env = {
      PLATFORM_HOME: home,
      PLATFORM_PORT: String(await freePort()),
      BILLING_MIGRATION_URL: 'postgres://owner@db/b',
    };
    starter = spawnStarter(env);
    await starter.printed(/platform ready on http:\/\/127\.0\.0\.1:\d+ in \d+\.\d s/);
  });

  afterAll(async () => {
    starter.signal('SIGTERM');
    await starter.ended;
    rmSync(home, { recursive: true, force: true });
  });

  it('says where everything is, in a file that only its owner may read', async () => {
    const { url, services } = readRun();
    expect(url).toBe(`http://127.0.0.1:${String(env['PLATFORM_PORT'])}`);
    await expect(fetch(url)).resolves.toMatchObject({ status: 200 });
    await expect(fetch(`http://${String(services['identity']?.address)}`)).resolves.toMatchObject({ status: 200 });
    expect(statSync(join(home, 'run.json')).mode & 0o777).toBe(0o600);
    expect(statSync(join(home, 'secrets.json')).mode & 0o777).toBe(0o600);
  });

  it('migrates in a process of its own: none that serves was ever told how to connect as the owner', () => {
    const { databases } = readRun();
    const { password } = new URL(String(databases['identity']?.owner));
    const environments = serving();
    expect(environments).toHaveLength(2);
    for (const environment of environments) {
      expect(environment).not.toContain('_MIGRATION_URL=');
      expect(environment).not.toContain(password);
    }
  });

  it('gives each program a user of its own at NATS, where nobody else is let in', async () => {
    const users = serving().map((environment) => /NATS_URL=nats:\/\/(\w+):[^@]{20,}@/.exec(environment)?.[1]);
    expect(users.toSorted()).toEqual(['gateway', 'identity']);
    const { nats } = readRun();
    await setUpStreams({ servers: nats, signal: AbortSignal.timeout(240_000) });
    const { host } = new URL(nats.replace('nats:', 'http:'));
    const nobody = setUpStreams({ servers: `nats://${host}`, signal: AbortSignal.abort() });
    await expect(nobody).rejects.toThrow(/authorization/i);
  });

  it('gives out tokens that the issuer’s published keys verify', async () => {
    const { issuer, audience } = readRun();
    const { jwks_uri } = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as {
      jwks_uri: string;
    };
    const { stdout } = token('--email', 'Ada.Lovelace@example.com', '--org', 'org_1');
    const { payload } = await jwtVerify(stdout.trim(), createRemoteJWKSet(new URL(jwks_uri)), { issuer, audience });
    expect(payload).toMatchObject({
      email: 'Ada.Lovelace@example.com',
      email_verified: true,
      name: 'Ada Lovelace',
      org_id: 'org_1',
    });
    const again = token('--email', 'ada.lovelace@example.com', '--name', 'Ada');
    const { payload: other } = await jwtVerify(again.stdout.trim(), createRemoteJWKSet(new URL(jwks_uri)));
    expect(other).toMatchObject({ sub: payload.sub, name: 'Ada' });
    expect(other).not.toHaveProperty('org_id');
  });

  it('gives no token to somebody who cannot read its secrets', async () => {
    const response = await fetch(String(readRun().tokenEndpoint), {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('platform-command:guess').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'urn:platform:grant-type:development', email: 'ada@example.com' }),
    });
    expect(response.status).toBe(401);
  });

  it('explains the token command when it is used wrongly', () => {
    expect(token('--mail', 'ada@example.com')).toMatchObject({ status: 2, stdout: '' });
    expect(token().stderr).toContain('--email ada@example.com');
    expect(token('--help').stdout).toContain('npm run -s token -- --email ada@example.com');
  });

  it('refuses a second starter on the same home with one sentence', async () => {
    const second = spawnStarter({ ...env, PLATFORM_PORT: String(await freePort()) });
    await expect(second.ended).resolves.toBe(1);
    expect(second.output().trim().split('\n')).toEqual([
      expect.stringMatching(/^starting/),
      expect.stringMatching(/^The platform in .* already runs on http:\/\/127\.0\.0\.1:\d+ \(process \d+\); stop it/),
    ]);
  });

  it('starts a crashed service again, and says so', async () => {
    const address = String(readRun().services['identity']?.address);
    await expect(fetch(`http://${address}/crash`)).rejects.toThrow();
    const log = join(home, 'logs', 'identity.log');
    await starter.printed(`identity ended with code 7; starting it again in 0.5 s (log: ${log})`);
    await starter.printed('identity is running again');
    await expect(fetch(`http://${address}/`)).resolves.toMatchObject({ status: 200 });
  });

  it('starts a killed server again on the same port', async () => {
    const postgres = readFileSync(join(home, 'postgres/data/postmaster.pid'), 'utf8');
    process.kill(Number(postgres.split('\n')[0]), 'SIGKILL');
    await starter.printed('PostgreSQL is running again');
    const restarted = readFileSync(join(home, 'postgres/data/postmaster.pid'), 'utf8');
    expect(restarted.split('\n')[3]).toBe(postgres.split('\n')[3]);
  });

  it('leaves no process behind when it is killed with SIGKILL, and starts again on the same data', async () => {
    const { issuer, databases } = readRun();
    const children = descendantsOf(starter.pid);
    expect(children.length).toBeGreaterThanOrEqual(4);
    starter.signal('SIGKILL');
    await allEnded(children);

    starter = spawnStarter(env);
    await starter.printed('platform ready on');
    const run = readRun();
    expect(run.issuer).toBe(issuer);
    expect(new URL(String(run.databases['identity']?.app)).password).toBe(
      new URL(String(databases['identity']?.app)).password,
    );
  });

  it('stops everything on Ctrl-C, in order, and ends well', async () => {
    const children = descendantsOf(starter.pid);
    starter.signal('SIGINT');
    starter.signal('SIGINT');
    await expect(starter.ended).resolves.toBe(0);
    expect(starter.output()).toMatch(/stopping\nstopped in \d+\.\d s\n$/);
    expect(children.filter(isAlive)).toEqual([]);
    expect(existsSync(join(home, 'run.json'))).toBe(false);
    expect(token('--email', 'ada@example.com').stderr).toContain('start it with npm start');
  });

  it('keeps the issuer’s name when another program took its port', async () => {
    const { identityProvider } = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8')) as {
      identityProvider: { port: number };
    };
    const thief = await listening(identityProvider.port);
    starter = spawnStarter(env);
    await starter.printed('platform ready on');
    const { issuer, tokenEndpoint } = readRun();
    expect(issuer).toBe(`http://127.0.0.1:${identityProvider.port}`);
    expect(tokenEndpoint).not.toContain(String(identityProvider.port));
    expect(token('--email', 'ada@example.com').stdout).toMatch(/^ey/);
    thief.close();
    starter.signal('SIGTERM');
    await starter.ended;
  });

  it('stops what it started so far when it is interrupted during the start', async () => {
    starter = spawnStarter(env);
    await starter.printed('PostgreSQL');
    const children = descendantsOf(starter.pid);
    starter.signal('SIGINT');
    await expect(starter.ended).resolves.toBe(0);
    await allEnded(children);
  });
});

describe('a start that cannot succeed', () => {
  let home: string;

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'platform-home-'));
    chmodSync(home, 0o755);
    // Its own: what was fetched for the tests of a machine that lacks a server would be found.
    mkdirSync(join(home, 'programs'));
  });

  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Starts, and expects code 1 and one sentence after the line that says what is being started. */
  const sentence = async (env: Record<string, string>): Promise<string> => {
    const starter = spawnStarter({ PLATFORM_HOME: home, PLATFORM_PORT: String(await freePort()), ...env });
    await expect(starter.ended).resolves.toBe(1);
    await waitFor(() => descendantsOf(starter.pid).length === 0);
    const lines = starter.output().trim().split('\n');
    return lines.filter((line) => !line.startsWith('starting') && !line.startsWith('  ')).join('\n');
  };

  it('says that the port is in use', async () => {
    const server = await listening(0);
    const { port } = server.address() as { port: number };
    await expect(sentence({ PLATFORM_PORT: String(port) })).resolves.toBe(
      `Port ${port} is in use by another program; choose another one with PLATFORM_PORT.`,
    );
    server.close();
  });

  it('says what is wrong with a setting', async () => {
    await expect(sentence({ PLATFORM_PORT: 'http' })).resolves.toBe(
      'PLATFORM_PORT must be a whole number from 1 to 65535 and is "http", for example 8080.',
    );
    const file = join(home, 'file');
    writeFileSync(file, '');
    await expect(sentence({ PLATFORM_HOME: file })).resolves.toMatch(/^PLATFORM_HOME .* cannot be used as a folder/);
  });

  it('says which server is missing', async () => {
    await expect(sentence({ PATH: '/nowhere' })).resolves.toMatch(
      /^There is no nats-server on this machine: install it/,
    );
  });

  it('says which data is broken', async () => {
    writeFileSync(join(home, 'postgres/data/PG_VERSION'), '15');
    await expect(sentence({})).resolves.toMatch(/postgres\/data was written by PostgreSQL 15, but this is 18; move it/);
    rmSync(join(home, 'postgres/data/global/pg_control'));
    writeFileSync(join(home, 'postgres/data/PG_VERSION'), '18');
    await expect(sentence({})).resolves.toMatch(/^PostgreSQL ended with code \d before it was ready: .*pg_control/);
    rmSync(join(home, 'postgres'), { recursive: true });
    writeFileSync(join(home, 'secrets.json'), '{');
    await expect(sentence({})).resolves.toMatch(/secrets\.json is damaged; move it away/);
  });
});

async function listening(port: number): Promise<Server> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return server;
}
