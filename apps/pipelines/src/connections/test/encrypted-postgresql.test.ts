import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { startPostgres, type Postgres } from '@platform-backend/embedded';
import { member, newOrganisation } from '@platform-backend/service/testing';
import { certificates, runDirectory, waitFor, type CertificateFiles } from '@platform-backend/testing';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { chmod, chown, copyFile, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PeerCertificate } from 'node:tls';
import pg from 'pg';
import { datasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

type Encryption = 'VERIFY_FULL' | 'REQUIRE' | 'DISABLE';

/** With a server of its own, which encrypts and takes nobody from elsewhere who does not. */
describe('a connection to a PostgreSQL that encrypts', () => {
  let running: TestPipelines;
  let server: Postgres;
  let owner: pg.Client;
  let authority: Awaited<ReturnType<typeof certificates>>;
  let another: typeof authority;
  let own: CertificateFiles;
  const admin = member(newOrganisation(), 'ADMIN');

  beforeAll(async () => {
    [authority, another] = await Promise.all([certificates(), certificates()]);
    own = await authority.issue('database', '127.0.0.1');
    const directory = mkdtempSync(join(runDirectory(), 'postgres-'));
    server = await startPostgres({
      ...{ directory, logFile: `${directory}.log`, removeAfterExit: directory, keepsUsAlive: false },
    });
    owner = new pg.Client({ connectionString: server.url });
    await owner.connect();
    await encryptBy(own);
    const environment = { SECRETS_KEY: 'a secret of this test', OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' };
    running = await startTestPipelines({ environment });
  });
  afterAll(async () => {
    await running.stop();
    await owner.end();
    await server.stop();
    await Promise.all([authority.remove(), another.remove()]);
  });

  /** The server has this certificate from now on. */
  async function encryptBy({ certificate, key }: CertificateFiles): Promise<void> {
    const data = join(server.directory, 'data');
    const { uid, gid } = await stat(data);
    for (const [from, name] of [
      [certificate, 'server.crt'],
      [key, 'server.key'],
    ] as const) {
      await copyFile(from, join(data, name));
      await chown(join(data, name), uid, gid);
      await chmod(join(data, name), 0o600);
    }
    await owner.query('ALTER SYSTEM SET ssl = on');
    await owner.query('SELECT pg_reload_conf()');
    const wanted = new X509Certificate(await readFile(certificate)).serialNumber;
    await waitFor(async () => (await shownSerial().catch(() => undefined)) === wanted);
  }

  /** Of the certificate that whoever connects now is shown. */
  async function shownSerial(): Promise<string | undefined> {
    let serial: string | undefined;
    const checkServerIdentity = (_host: string, { serialNumber }: PeerCertificate): undefined => {
      serial = serialNumber;
    };
    const ssl = { ca: await readFile(own.authority, 'utf8'), checkServerIdentity };
    const client = new pg.Client({ connectionString: server.url, ssl });
    await client.connect();
    await client.end();
    return serial;
  }

  async function connect(sslMode: Encryption, sslRootCertificate = '') {
    const url = new URL(server.url);
    const postgresql = {
      ...{ host: url.hostname, port: Number(url.port), database: 'postgres', user: url.username },
      ...{ sslMode, sslRootCertificate },
    };
    const wanted = { name: newId(), settings: { postgresql }, secret: url.password };
    return (await running.connections.createConnection(wanted, admin)).id;
  }
  const outcome = async (...encryption: Parameters<typeof connect>) => {
    const connectionId = await connect(...encryption);
    const { ok, failure } = await running.connections.testConnection({ connectionId }, admin);
    return ok ? 'ok' : failure?.code;
  };

  it('is encrypted with the certificate of who signs for it, and rows come that way', async () => {
    const trusted = await readFile(own.authority, 'utf8');
    expect(await outcome('VERIFY_FULL', trusted)).toBe('ok');
    const connectionId = await connect('VERIFY_FULL', trusted);
    const query =
      'SELECT ssl, version, (SELECT count(*) FROM generate_series(1, 5000)) AS rows FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    const source = { postgresql: { connectionId, query } };
    const { id: datasetId } = await running.datasets.createDataset({ id: newId(), name: 'seen', source }, admin);
    expect(await datasetClient(running).settled(datasetId, admin)).toMatchObject({ upload: { status: 'READY' } });
    const { rows } = await running.datasets.previewDataset({ datasetId, limit: 5 }, admin);
    expect(rows).toEqual([[true, expect.stringMatching(/^TLSv1\.[23]$/), 5000]]);
  });

  it('is refused where the certificate is of somebody unknown, unless it is not to be looked at', async () => {
    expect(await outcome('VERIFY_FULL')).toBe('tls_failed');
    expect(await outcome('VERIFY_FULL', await readFile((await another.issue('other')).authority, 'utf8'))).toBe(
      'tls_failed',
    );
    expect(await outcome('REQUIRE')).toBe('ok');
  });

  it('is refused where the certificate is for another host', async () => {
    const elsewhere = await authority.issue('elsewhere', '127.0.0.2');
    await encryptBy(elsewhere);
    const trusted = await readFile(own.authority, 'utf8');
    expect(await outcome('VERIFY_FULL', trusted)).toBe('tls_failed');
    expect(await outcome('REQUIRE')).toBe('ok');
  });
});
