import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openLibrary, type Library } from '@platform-backend/events/testing';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { datasetClient } from '../../../test/dataset-client.ts';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';

interface Call {
  readonly method: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

describe('HTTP steps', () => {
  let calls: Call[];
  /** One after the other; the last one stays. */
  let answers: { readonly status: number; readonly body?: string; readonly headers?: Record<string, string> }[];
  const called = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      calls.push({ method: request.method, headers: request.headers, body });
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 500 };
      // Whoever is asked for nothing says nothing.
      if (answer.status > 0) response.writeHead(answer.status, answer.headers ?? {}).end(answer.body);
    });
  });
  let events: Library;
  let service: TestPipelines;
  let url: string;
  const owner = member(newOrganisation());

  beforeAll(async () => {
    await new Promise<void>((resolve) => called.listen(0, '127.0.0.1', resolve));
    const { port } = called.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/orders`;
    events = await openLibrary();
    const environment = { OUTBOUND_ALLOWED_HOSTS: `127.0.0.1:${port}` };
    service = await startTestPipelines({ natsUrl: events.nats.url, environment });
    await datasetClient(service).upload('Sales', 'region,amount\nnorth,10\nsouth,20\n', owner);
  });
  afterAll(async () => {
    await service.stop();
    await events.close();
    called.closeAllConnections();
    await new Promise<unknown>((resolve) => called.close(resolve));
  });
  beforeEach(() => {
    [calls, answers] = [[], [{ status: 200 }]];
  });

  const step = (http: object, config: object = {}) => ({
    name: 'call',
    config: { queryType: 'HTTP', query: url, jobType: 'INGEST', outputDatasets: ['fetched'], http, ...config },
  });
  const create = (...steps: object[]) => service.pipelines.createPipeline({ name: 'p', steps: steps as never }, owner);
  async function runOf(pipelineId: string) {
    const { id: runId } = await service.runs.startRun({ pipelineId }, owner);
    const isOver = async () => {
      const { status } = await service.runs.getRun({ pipelineId, runId }, owner);
      return ['Succeeded', 'Failed', 'Error', 'Cancelled'].includes(status ?? '');
    };
    await waitFor(isOver, { what: 'the end of a run' });
    const { steps } = await service.runs.listRunSteps({ pipelineId, runId }, owner);
    return { runId, steps };
  }
  const run = async (...steps: object[]) => runOf((await create(...steps)).id);
  const rowsOf = async (query: string) => (await service.datasets.queryDatasets({ query }, owner)).rows;

  it('make a dataset of what is answered, which the next step reads', async () => {
    answers = [{ status: 200, body: '{"data": {"items": [{"id": 1, "who": "Ada"}, {"id": 2, "who": null}]}}' }];
    const count = {
      name: 'count',
      config: {
        query: 'SELECT count(who) AS named FROM fetched',
        inputDatasets: ['fetched'],
        outputDatasets: ['named'],
      },
    };
    const { steps } = await run(step({ headers: { 'X-Shop': '7' }, rowsPath: 'data.items' }), count);
    expect(steps.map(({ status, message }) => [status, message])).toEqual([
      ['Succeeded', ''],
      ['Succeeded', ''],
    ]);
    expect(calls).toMatchObject([{ method: 'GET', headers: { 'x-shop': '7', accept: 'application/json' } }]);
    expect(await rowsOf('SELECT * FROM fetched ORDER BY id')).toEqual([
      [1, 'Ada'],
      [2, null],
    ]);
    expect(await rowsOf('SELECT * FROM named')).toEqual([[1]]);
  });

  it.each([
    ['JSON', '[{"a": 1}, {"a": 2}]'],
    ['JSONL', '{"a": 1}\n{"a": 2}\n'],
    ['CSV', 'a\n1\n2\n'],
  ])('read %s', async (responseFormat, body) => {
    answers = [{ status: 200, body }];
    await run(step({ responseFormat }));
    expect(await rowsOf('SELECT * FROM fetched ORDER BY a')).toEqual([[1], [2]]);
  });

  it('make no rows of an answer without any, with the columns that their dataset has', async () => {
    const of = (name: string) => ({ outputDatasets: [name] });
    answers = [{ status: 200, body: '{"items": []}' }];
    expect((await run(step({ rowsPath: 'items' }, of('early')))).steps).toMatchObject([
      { status: 'Failed', errorCode: 'no_columns' },
    ]);
    const { id } = await create(step({ rowsPath: 'items' }, of('few')));
    answers = [{ status: 200, body: '{"items": [{"a": 1, "b": "x"}]}' }];
    await runOf(id);
    answers = [{ status: 200, body: '{"items": []}' }];
    expect((await runOf(id)).steps).toMatchObject([{ status: 'Succeeded', message: '' }]);
    expect(await rowsOf('SELECT a + 1, upper(b) FROM few')).toEqual([]);
    answers = [{ status: 200, body: '' }];
    expect((await run(step({ responseFormat: 'JSONL' }, of('few')))).steps).toMatchObject([{ status: 'Succeeded' }]);
  });

  it.each([
    ['{"data": {}}', 'data.items', 'There is nothing at data.items in what it answered'],
    ['{"data": {"items": {"a": 1}}}', 'data.items', 'What it answered at data.items is no array of objects'],
    ['[1, 2]', '', 'What it answered is no array of objects'],
  ])('say of %s what is wrong with it', async (body, rowsPath, message) => {
    answers = [{ status: 200, body }];
    expect((await run(step({ rowsPath }))).steps).toMatchObject([
      { status: 'Failed', errorCode: 'unfit_answer', message },
    ]);
  });

  it('read rows with more names than a dictionary has, and ever other ones', async () => {
    const named = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 1]));
    const wide = named(Array.from({ length: 250 }, (_, index) => `wide_${index}`));
    const sparse = Array.from({ length: 30 }, (_, index) => named([`sparse_${index}`]));
    answers = [{ status: 200, body: JSON.stringify([wide, ...sparse]) }];
    const { steps } = await run(step({}));
    expect(steps).toMatchObject([{ status: 'Succeeded', message: '' }]);
    expect(await rowsOf('SELECT sum(wide_249)::INT, sum(sparse_29)::INT, count(*)::INT FROM fetched')).toEqual([
      [1, 1, 31],
    ]);
  });

  it('fail with what they were answered, where that is too much or breaks off', async () => {
    answers = [{ status: 200, body: `[${' '.repeat(33 * 2 ** 20)}]` }];
    expect((await run(step({}))).steps).toMatchObject([{ status: 'Failed', errorCode: 'too_large' }]);
    answers = [{ status: 200, headers: { 'content-length': '100' }, body: '[{"a": 1}' }];
    expect((await run(step({}))).steps).toMatchObject([{ status: 'Failed', errorCode: 'http_unreachable' }]);
  });

  it('send the rows of a dataset, and make none of their own unless they are asked to', async () => {
    const http = { method: 'POST', body: '{"run": "{{run_id}}", "rows": {{rows}}}' };
    const { runId, steps } = await run(step(http, { jobType: 'EXPORT', inputDatasets: ['sales'], outputDatasets: [] }));
    expect(steps.map(({ status }) => status)).toEqual(['Succeeded']);
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
      run: runId,
      rows: [
        { region: 'north', amount: 10 },
        { region: 'south', amount: 20 },
      ],
    });
  });

  it('are tried again by their retry policy, each time with the same key, and say why in the end', async () => {
    answers = [{ status: 503 }, { status: 200, body: '[{"a": 1}]' }];
    const retryPolicy = { maximumAttempts: 3, initialIntervalSeconds: 1, nonRetryableErrorTypes: ['http_404'] };
    const { runId, steps } = await run(step({}, { retryPolicy }));
    expect(steps).toMatchObject([{ status: 'Succeeded', attempts: 2 }]);
    expect(calls.map(({ headers }) => headers['idempotency-key'])).toEqual([`${runId}-0`, `${runId}-0`]);
    answers = [{ status: 404 }];
    expect((await run(step({}, { retryPolicy }))).steps).toMatchObject([
      { status: 'Failed', attempts: 1, errorCode: 'http_404', message: 'It answered 404' },
    ]);
  });

  it('send secret headers that nobody is shown, and that stay where a new version leaves them empty', async () => {
    const secret = step({ secretHeaders: { Authorization: 'Bearer of the shop' } });
    const created = await create(secret);
    answers = [{ status: 200, body: '[{"a": 1}]' }];
    await runOf(created.id);
    const again = await service.pipelines.publishPipelineVersion(
      { pipelineId: created.id, steps: [step({ secretHeaders: { authorization: '' } })] as never },
      owner,
    );
    await runOf(created.id);
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer of the shop', 'Bearer of the shop']);
    const shown = JSON.stringify([
      created,
      again,
      await service.pipelines.getPipeline({ pipelineId: created.id }, owner),
    ]);
    expect(shown).toContain('secretHeaderNames');
    expect(shown).not.toContain('of the shop');
    const stored = await service.pool.tenant(owner.caller.organisationId ?? '', (trx) =>
      trx('pipeline_versions').where({ pipeline_id: created.id }).select('steps'),
    );
    expect(JSON.stringify(stored)).not.toContain('of the shop');
    // Neither is one made up, nor does it go to anybody else.
    const without = step({ secretHeaders: { Authorization: '' } });
    expect(await refusalOf(create(without))).toMatchObject({ kind: 'invalid' });
    const elsewhere = { ...without, config: { ...without.config, query: 'https://example.com/' } };
    const published = service.pipelines.publishPipelineVersion(
      { pipelineId: created.id, steps: [elsewhere] as never },
      owner,
    );
    expect(await refusalOf(published)).toMatchObject({ kind: 'invalid' });
  });

  it('do not follow a redirect, and end at their limit', async () => {
    answers = [{ status: 302, headers: { location: 'https://example.com/' } }];
    expect((await run(step({}))).steps).toMatchObject([{ status: 'Failed', errorCode: 'http_302' }]);
    answers = [{ status: 0 }];
    const { steps } = await run(step({}, { timeLimitSeconds: 1 }));
    expect(steps).toMatchObject([{ status: 'Failed', errorCode: 'timed_out', message: 'It took longer than 1 s' }]);
    answers = [{ status: 200, body: 'no JSON' }];
    expect((await run(step({}))).steps).toMatchObject([{ status: 'Failed' }]);
  });

  it('call nobody at an address that is not public, nobody in a dry run, and are refused where they contradict themselves', async () => {
    const refused = async (config: object, http: object = {}) => {
      const { violations } = (await refusalOf(create(step(http, config)))) as unknown as {
        readonly violations: readonly { readonly loc: readonly unknown[] }[];
      };
      return violations.map(({ loc }) => loc.slice(3).join('.'));
    };
    expect(await refused({ query: 'https://169.254.169.254/' })).toEqual(['config.query']);
    expect(await refused({ query: 'http://example.com/' })).toEqual(['config.query']);
    expect(await refused({ http: null })).toEqual(['config.http']);
    expect(await refused({ queryType: 'SQL', query: 'SELECT 1' })).toEqual(['config.http']);
    expect(await refused({ inputDatasets: ['sales'] })).toEqual(['config.http.method']);
    expect(await refused({}, { headers: { Host: 'elsewhere' } })).toEqual(['config.http.headers.Host']);
    const { steps } = await service.pipelines.trySteps({ steps: [step({})] as never, sampleRows: 10 }, owner);
    expect(steps).toMatchObject([{ status: 'Omitted', message: 'A dry run calls nobody' }]);
    expect(calls).toEqual([]);
  });
});
