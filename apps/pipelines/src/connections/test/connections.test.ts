import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { NewConnectionSettingsInput, NewDatasetSourceInput } from '@platform-backend/contract-pipelines';
import { newId, systemClock } from '@platform-backend/core';
import { secretBox } from '@platform-backend/core/secret-box';
import { openObjects } from '@platform-backend/objects';
import { noS3, throwawayS3, type ThrowawayS3 } from '@platform-backend/objects/testing';
import { member, newOrganisation, refusalOf, resealedSecrets } from '@platform-backend/service/testing';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import pg from 'pg';
import { datasetClient, type DatasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { service } from '../../service.ts';
import { secretContext } from '../domain/connection.ts';

const SECRETS_KEY = 'one more secret of the tests';
const MAX_BYTES = 4_000_000;

let running: TestPipelines;
let client: DatasetClient;
let admin: ReturnType<typeof member>;
beforeAll(async () => {
  const environment = {
    ...{ SECRETS_KEY, OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' },
    ...{ PIPELINES_DATASET_MAX_BYTES: String(MAX_BYTES), PIPELINES_READ_SECONDS: '20' },
  };
  running = await startTestPipelines({ areQueriesExplained: true, environment });
  client = datasetClient(running);
});
afterAll(() => running.stop());
beforeEach(() => {
  admin = member(newOrganisation(), 'ADMIN');
});

const connect = (name: string, settings: NewConnectionSettingsInput, secret = '') =>
  running.connections.createConnection({ name, settings, secret }, admin);
const test = ({ id: connectionId }: { readonly id: string }) =>
  running.connections.testConnection({ connectionId }, admin);
const read = async (name: string, source: NewDatasetSourceInput) => {
  const { id } = await running.datasets.createDataset({ id: newId(), name, source }, admin);
  return client.settled(id, admin);
};
const rowsOf = async ({ id: datasetId }: { readonly id: string }) =>
  (await running.datasets.previewDataset({ datasetId, limit: 5 }, admin)).rows;

describe('a connection to PostgreSQL', () => {
  let source: ThrowawayPostgres;
  let settings: NewConnectionSettingsInput & { postgresql: object };
  let password: string;
  const asOwner = async (...statements: string[]) => {
    const owner = new pg.Client({ connectionString: source.ownerUrl });
    await owner.connect();
    for (const statement of statements) await owner.query(statement);
    await owner.end();
  };
  beforeAll(async () => {
    source = await throwawayPostgres();
    const url = new URL(source.ownerUrl);
    password = decodeURIComponent(url.password);
    settings = {
      postgresql: {
        ...{ host: url.hostname, port: Number(url.port), database: url.pathname.slice(1) },
        ...{ user: decodeURIComponent(url.username), sslMode: 'DISABLE' },
      },
    };
    await asOwner(
      'CREATE TABLE orders (id bigint, region text, amount numeric, paid boolean, sold_at timestamptz, tags text[])',
      `INSERT INTO orders VALUES (9007199254740993, 'north', 120.50, true, '2026-01-01 12:00+02', '{a,b}'),
         (2, '', NULL, false, NULL, NULL), (3, E'two\\nlines "and" quotes', 12345678901234567890.25, NULL, now(), '{}')`,
    );
  });
  afterAll(() => source.drop());
  const shop = () => connect('Shop', settings, password);

  it('gives rows with the types that they have there, none of them changed', async () => {
    const { id: connectionId } = await shop();
    const query = "SELECT id, region, amount, paid, sold_at, tags FROM orders ORDER BY id DESC -- it's all;";
    const dataset = await read('orders', { postgresql: { connectionId, query } });
    expect(dataset).toMatchObject({
      upload: { status: 'READY', failure: null },
      source: { postgresql: { connectionId, query } },
      currentVersion: {
        ...{ number: 1, rows: '3' },
        source: { connection: { connectionId, uploadId: dataset.upload?.id } },
        columns: [
          { name: 'id', type: 'BIGINT' },
          { name: 'region', type: 'VARCHAR', nulls: '0' },
          { name: 'amount', type: 'DECIMAL(38,2)', nulls: '1' },
          { name: 'paid', type: 'BOOLEAN' },
          { name: 'sold_at', type: 'TIMESTAMP WITH TIME ZONE' },
          { name: 'tags', type: 'VARCHAR' },
        ],
      },
    });
    const asked =
      'SELECT id::VARCHAR AS id, region, amount, paid, sold_at::VARCHAR AS sold_at, tags FROM orders WHERE id <> 3 ORDER BY id';
    const { rows } = await running.datasets.queryDatasets({ query: asked }, admin);
    expect(rows).toEqual([
      ['2', '', null, false, null, null],
      ['9007199254740993', 'north', '120.50', true, '2026-01-01 10:00:00+00', '{a,b}'],
    ]);
  });

  it('is read again as another version, by what the dataset says then, and may be refreshed by nobody else', async () => {
    const { id: connectionId } = await shop();
    const { id: datasetId } = await read('counted', {
      postgresql: { connectionId, query: 'SELECT count(*) FROM orders' },
    });
    const more = { postgresql: { connectionId, query: 'SELECT g FROM generate_series(1, 3000) AS g' } };
    await running.datasets.updateDataset({ datasetId, source: more, updateMask: { paths: ['source'] } }, admin);
    const foreign = running.datasets.refreshDataset({ datasetId }, member(newOrganisation()));
    expect(await refusalOf(foreign)).toMatchObject({ code: 'dataset_not_found' });
    await running.datasets.refreshDataset({ datasetId }, admin);
    expect((await client.settled(datasetId, admin)).currentVersion).toMatchObject({ number: 2, rows: '3000' });
    const { versions } = await running.datasets.listDatasetVersions({ datasetId }, admin);
    expect(versions.map(({ rows }) => rows)).toEqual(['3000', '1']);
  });

  it('gives columns where there are no rows', async () => {
    const { id: connectionId } = await shop();
    const dataset = await read('none', { postgresql: { connectionId, query: 'SELECT id, paid FROM orders LIMIT 0' } });
    expect(dataset.currentVersion).toMatchObject({ rows: '0', columns: [{ type: 'BIGINT' }, { type: 'BOOLEAN' }] });
  });

  it.each([
    ['is wrong', 'SELECT nothing FROM orders', 'query_failed'],
    ['is no query', 'DELETE FROM orders', 'query_failed'],
    ['is more than one', 'SELECT 1; COMMIT; DROP TABLE orders', 'query_failed'],
    ['writes', "SELECT nextval('numbers')", 'query_failed'],
    ['takes too long', 'SELECT pg_sleep(60)', 'timed_out'],
    ['has columns of one name', 'SELECT 1 AS a, 2 AS "A"', 'duplicate_column'],
    ['has too much', "SELECT repeat('x', 1000) FROM generate_series(1, 20000)", 'too_large'],
    ['has a row that is too large', "SELECT repeat('x', 40000000)", 'too_large'],
  ])('tells of a query that %s, and has changed nothing', async (_, query, code) => {
    await asOwner('CREATE SEQUENCE IF NOT EXISTS numbers');
    const { id: connectionId } = await shop();
    const { upload, currentVersion } = await read('wrong', { postgresql: { connectionId, query } });
    expect([upload?.failure?.code, currentVersion]).toEqual([code, null]);
    await asOwner('SELECT id FROM orders');
  });

  it('is tried, and what is wrong is said without its secret', async () => {
    const { id: connectionId, ...connection } = await shop();
    expect(await running.connections.testConnection({ connectionId }, admin)).toMatchObject({
      ok: true,
      failure: null,
    });
    expect(JSON.stringify(connection)).not.toContain(password);
    const change = async (other: object, secret = password) => {
      const wanted = {
        settings: { postgresql: { ...settings.postgresql, ...other } } as NewConnectionSettingsInput,
        secret,
      };
      await running.connections.updateConnection(
        { connectionId, ...wanted, updateMask: { paths: ['settings', 'secret'] } },
        admin,
      );
      const { ok, failure } = await running.connections.testConnection({ connectionId }, admin);
      expect(JSON.stringify(failure)).not.toContain(secret);
      return [ok, failure?.code];
    };
    expect(await change({ sslMode: 'VERIFY_FULL' })).toEqual([false, 'tls_failed']);
    expect(await change({ database: 'elsewhere' })).toEqual([false, 'source_not_found']);
    expect(await change({ port: 9 })).toEqual([false, 'unreachable']);
    expect(await change({}, 'another password')).toEqual([false, 'authentication_failed']);
    expect(await change({})).toEqual([true, undefined]);
  });

  it('that reaches no public address is refused', async () => {
    const at = (host: string, sslMode: 'REQUIRE' | 'DISABLE' = 'REQUIRE') =>
      refusalOf(connect('Inner', { postgresql: { host, database: 'd', user: 'u', sslMode } }, 'secret'));
    for (const host of ['10.0.0.7', 'localhost', '169.254.169.254', '167772167', 'db.internal'])
      expect(await at(host)).toMatchObject({ kind: 'invalid', violations: [{ loc: ['body', 'settings', 'host'] }] });
    expect(await at('db.example.com', 'DISABLE')).toMatchObject({
      violations: [{ loc: ['body', 'settings', 'ssl_mode'] }],
    });
  });
});

describe('a connection', () => {
  const api = { http: { baseUrl: 'https://api.example.com/' } };

  it('is listed by its kind, changed, and told of no secret; its name is taken once', async () => {
    const s3 = { s3: { bucket: 'exports', accessKeyId: 'key' } };
    const bucket = await connect('Bucket', s3, 'the secret');
    await connect('API', api);
    expect(await refusalOf(connect('api', api))).toMatchObject({ code: 'connection_name_taken' });
    const { connections } = await running.connections.listConnections({ kind: ['S3'] }, admin);
    expect(connections).toEqual([bucket]);
    expect(bucket).toMatchObject({ hasSecret: true, settings: { s3: { region: 'us-east-1' } } });
    expect(await refusalOf(connect('Without', s3))).toMatchObject({ violations: [{ loc: ['body', 'secret'] }] });
  });

  it('stays while datasets are read from it, and goes once they are read from nothing any more', async () => {
    const { id: connectionId } = await connect('API', { http: { baseUrl: 'http://127.0.0.1:9/' } });
    const source = { http: { connectionId, path: 'orders', format: 'CSV' as const } };
    const { id: datasetId, upload } = await read('Orders', source);
    expect(upload).toMatchObject({ status: 'FAILED', failure: { code: 'unreachable' } });
    const remove = () => running.connections.deleteConnection({ connectionId }, admin);
    expect(await refusalOf(remove())).toMatchObject({
      code: 'connection_in_use',
      message: 'Datasets are read from this connection: Orders',
    });
    await running.datasets.updateDataset({ datasetId, source: null, updateMask: { paths: ['source'] } }, admin);
    await remove();
    expect(await refusalOf(running.datasets.refreshDataset({ datasetId }, admin))).toMatchObject({
      code: 'dataset_without_source',
    });
    const gone = running.datasets.createDataset({ id: newId(), name: 'Other', source }, admin);
    expect(await refusalOf(gone)).toMatchObject({ code: 'connection_not_found' });
  });

  it('of another organisation, or of another kind, is none to read from', async () => {
    const { id: connectionId } = await connect('API', api);
    const source = { http: { connectionId, path: '', format: 'CSV' as const } };
    const foreign = running.datasets.createDataset({ id: newId(), name: 'a', source }, member(newOrganisation()));
    expect(await refusalOf(foreign)).toMatchObject({ code: 'connection_not_found' });
    const sql = { postgresql: { connectionId, query: 'SELECT 1' } };
    const other = running.datasets.createDataset({ id: newId(), name: 'a', source: sql }, admin);
    expect(await refusalOf(other)).toMatchObject({ violations: [{ loc: ['body', 'source', 'connection_id'] }] });
  });

  it('has its secret sealed with another key by the command', async () => {
    const { id } = await connect('API', api, 'the secret');
    const { organisationId = '' } = admin.caller;
    const sealed = () =>
      running.pool.tenant(organisationId, (trx) =>
        trx('connections').where({ id }).first<{ secret: string }>('secret'),
      );
    const key = 'a new secret of the tests';
    const env = { ...running.env, SECRETS_KEY: key, SECRETS_KEY_OTHER: SECRETS_KEY };
    const told = (await resealedSecrets(service, env)).find(({ kind }) => kind === 'connections');
    expect(told).toMatchObject({ resealed: told?.secrets, unreadable: 0 });
    const context = secretContext(organisationId, id);
    expect(secretBox({ key }).open((await sealed()).secret, context)).toBe('the secret');
    // The tests behind this one go on with the key of before.
    await resealedSecrets(service, { ...env, SECRETS_KEY, SECRETS_KEY_OTHER: key });
  });
});

describe('a connection to an HTTP interface', () => {
  type Answer = (request: IncomingMessage, response: ServerResponse) => void;
  let answer: Answer;
  let asked: IncomingMessage[];
  const server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  let baseUrl: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise<unknown>((resolve) => server.close(resolve));
  });
  beforeEach(() => {
    asked = [];
  });
  const text =
    (body: string, status = 200): Answer =>
    (_, response) =>
      response.writeHead(status).end(body);
  const api = () => connect('API', { http: { baseUrl, headerName: 'X-Key' } }, 'the secret');

  it.each([
    ['CSV' as const, 'region,amount\nnorth,1.50\nsouth\n', { maxRejectedRows: 1 }, [['north', '1.50']]],
    ['JSON_LINES' as const, '{"a": 1}\n{"a": 2}\n', null, [[1], [2]]],
    ['JSON' as const, '[{"a": 1}, {"a": 2}]', null, [[1], [2]]],
  ])('is asked with its secret, and what it answers is read as an upload is: %s', async (format, body, csv, rows) => {
    answer = text(body);
    const { id: connectionId } = await api();
    const dataset = await read('answered', { http: { connectionId, path: 'orders?paid=1', format, csv } });
    expect(dataset.upload).toMatchObject({ status: 'READY', rejectedRowCount: csv?.maxRejectedRows ?? 0 });
    expect(asked.map(({ method, url, headers }) => [method, url, headers['x-key']])).toEqual([
      ['GET', '/v1/orders?paid=1', 'the secret'],
    ]);
    expect(await rowsOf(dataset)).toEqual(rows);
  });

  it('fails with what is wrong, and stops reading what is too large', async () => {
    const { id: connectionId } = await api();
    const { id: datasetId } = await read('wrong', { http: { connectionId, path: 'a', format: 'CSV' } });
    const failure = async (given: Answer) => {
      answer = given;
      await running.datasets.refreshDataset({ datasetId }, admin);
      return (await client.settled(datasetId, admin)).upload?.failure?.code;
    };
    expect(await failure(text('', 401))).toBe('authentication_failed');
    expect(await failure(text('', 404))).toBe('source_not_found');
    expect(await failure(text('', 500))).toBe('source_failed');
    expect(await failure(text(''))).toBe('empty_file');
    expect(await failure(text('a\n'.repeat(MAX_BYTES)))).toBe('too_large');
    expect(await failure((_, response) => response.socket?.destroy())).toBe('unreachable');
    expect(await failure((_, response) => response.writeHead(302, { location: 'https://10.0.0.7/' }).end())).toBe(
      'address_refused',
    );
    expect(await failure(text('n\n1\n'))).toBeUndefined();
  });

  it('is tried at its address, and sends no secret on to another host', async () => {
    const { port } = new URL(baseUrl);
    const other = createServer((request, response) => {
      asked.push(request);
      response.writeHead(200).end('n\n1\n');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const location = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}/elsewhere`;
    answer = (_, response) => response.writeHead(302, { location }).end();
    expect(await test(await api())).toMatchObject({ ok: true });
    expect(asked.map(({ headers }) => [headers.host === `127.0.0.1:${port}`, headers['x-key']])).toEqual([
      [true, 'the secret'],
      [false, undefined],
    ]);
    other.closeAllConnections();
    await new Promise<unknown>((resolve) => other.close(resolve));
  });
});

describeWhere(noS3, 'a connection to S3', () => {
  let s3: ThrowawayS3;
  beforeAll(async () => {
    s3 = await throwawayS3();
    const { bucket, endpoint, accessKeyId, secretAccessKey } = s3;
    const of = {
      S3_BUCKET: bucket,
      S3_ENDPOINT: endpoint,
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secretAccessKey,
    };
    const { store } = await openObjects({ ...running.frame.settings, ...of }, systemClock, 'pipelines');
    const body = Readable.from([Buffer.from('region,amount\nnorth,1.50\n')]);
    await store.write('daily/orders.csv', body, { contentType: 'text/csv', maxBytes: 100 });
    store.close();
  });
  afterAll(() => s3.stop());

  it('is tried, and gives an object by its key', async () => {
    const { endpoint, accessKeyId, bucket } = s3;
    const settings = { s3: { endpoint, accessKeyId, bucket } };
    const bucketOfOthers = await connect('Bucket', settings, s3.secretAccessKey);
    const { id: connectionId } = bucketOfOthers;
    expect(await test(bucketOfOthers)).toMatchObject({ ok: true });
    const of = (key: string) => ({ s3: { connectionId, key, format: 'CSV' as const } });
    expect(await rowsOf(await read('daily', of('daily/orders.csv')))).toEqual([['north', '1.50']]);
    expect((await read('missing', of('missing.csv'))).upload?.failure?.code).toBe('source_not_found');
    const stranger = await connect('Stranger', settings, 'no secret of it');
    expect(await test(stranger)).toMatchObject({ ok: false, failure: { code: 'authentication_failed' } });
  });
});
