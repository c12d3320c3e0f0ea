import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { systemClock } from '@platform-backend/core';
import { secretBox } from '@platform-backend/core/secret-box';
import { quiet } from '@platform-backend/events/testing';
import { addressPolicy, outboundFetch } from '@platform-backend/outbound';
import { member, newOrganisation, resealedSecrets } from '@platform-backend/service/testing';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startTestPipelines, type TestPipelines } from '../../../test/test-pipelines.ts';
import { service } from '../../service.ts';
import { headerContext } from '../../steps/domain/http-request.ts';
import { forgetDeliveries, sendWebhooks } from '../app/send-webhooks.ts';
import { postDelivery } from '../clients/post-delivery.ts';
import { signatureHeaders } from '../clients/signature.ts';
import { secretContext } from '../domain/webhook.ts';
import { webhookDeliveriesStore } from '../store/webhook-deliveries-store.ts';

const SECRETS_KEY = 'one more secret of the tests';
const never = new AbortController().signal;

describe('webhooks', () => {
  interface Call {
    readonly path: string | undefined;
    readonly method: string | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly body: string;
  }
  let calls: Call[];
  let answer: { status: number; headers?: Record<string, string> };
  /** What happens while a receiver is asked. */
  let meanwhile: () => Promise<unknown>;
  const receiver = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.on('end', () => {
      calls.push({ path: request.url, method: request.method, headers: request.headers, body });
      void meanwhile().then(() => response.writeHead(answer.status, answer.headers ?? {}).end('thank you'));
    });
  });

  let running: TestPipelines;
  let now: number;
  let url: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${String((receiver.address() as AddressInfo).port)}/hook`;
    const environment = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1', SECRETS_KEY };
    running = await startTestPipelines({ areQueriesExplained: true, idle: true, environment });
  });
  afterAll(async () => {
    await running.stop();
    receiver.closeAllConnections();
    await new Promise<unknown>((resolve) => receiver.close(resolve));
  });
  beforeEach(() => {
    calls = [];
    answer = { status: 204 };
    meanwhile = () => Promise.resolve();
    now = Date.now() + 1_000;
  });

  let admin: ReturnType<typeof member>;
  beforeEach(() => {
    admin = member(newOrganisation(), 'ADMIN');
  });
  // Nothing of one test is due in the next.
  afterEach(() => running.pool.tenant(admin.caller.organisationId ?? '', (trx) => trx('webhooks').delete()));

  const send = (timeoutMs = 10_000) => {
    const box = secretBox({ key: SECRETS_KEY });
    const clock = { now: () => new Date(now) };
    const post = postDelivery({
      fetch: outboundFetch({ policy: addressPolicy('127.0.0.1'), maxBytes: 1024 }),
      open: (organisationId, id, sealed) => box.open(sealed, `webhook/${organisationId}/${id}`),
      timeoutMs,
    });
    const ports = { deliveries: webhookDeliveriesStore(running.pool), post, clock, random: () => 0 };
    return sendWebhooks(ports, quiet, never);
  };
  const tested = async (webhook: { id: string }) => {
    const { id } = await running.webhooks.testWebhook({ webhookId: webhook.id }, admin);
    return async () => {
      const { deliveries } = await running.webhooks.listWebhookDeliveries({ webhookId: webhook.id }, admin);
      const found = deliveries.find((one) => one.id === id);
      if (!found) throw new Error('the delivery is not listed');
      return found;
    };
  };

  it('are told of a run by a body that their secret has signed, and the run says that they were', async () => {
    const webhook = await running.webhooks.createWebhook({ url, description: 'Paging' }, admin);
    const notificationSettings = [{ webhook: { webhookIds: [webhook.id] } }];
    const steps = [
      { name: 'one', config: { query: 'SELECT 1 AS one', outputDatasets: ['ones'], jobType: 'INGEST' as const } },
    ];
    const settings = { name: 'Sales', steps, notificationSettings, notifyOn: 'FINISH' as const, tags: ['eu'] };
    const { id: pipelineId } = await running.pipelines.createPipeline(settings, admin);
    const { id: runId } = await running.runs.startRun({ pipelineId }, admin);
    await running.runs.cancelRun({ pipelineId, runId }, admin);
    now = Date.now() + 1_000;
    await send();
    const [call] = calls;
    expect(JSON.parse(call?.body ?? '')).toEqual({
      type: 'run.finished',
      timestamp: expect.any(String),
      data: {
        ...{ run_id: runId, pipeline_id: pipelineId, pipeline_name: 'Sales', version_id: expect.any(String) },
        ...{ status: 'Cancelled', trigger: 'API', tags: ['eu'], message: expect.any(String) },
        ...{ created_at: expect.any(String), started_at: null, finished_at: expect.any(String) },
      },
    });
    const id = String(call?.headers['webhook-id']);
    const signed = { id, at: new Date(Number(call?.headers['webhook-timestamp']) * 1000), payload: call?.body ?? '' };
    expect(call).toMatchObject({ method: 'POST', headers: signatureHeaders(signed, [webhook.secret]) });
    const { notifications } = await running.runs.getRun({ pipelineId, runId }, admin);
    expect(notifications).toMatchObject([{ method: 'WEBHOOK', recipient: webhook.id, status: 'SENT' }]);
    const { deliveries } = await running.webhooks.listWebhookDeliveries({ webhookId: webhook.id }, admin);
    expect(deliveries).toMatchObject([
      { id, runId, executionId: null, eventType: 'run.finished', payload: call?.body, status: 'SENT' },
    ]);
    expect(deliveries[0]?.attempts).toMatchObject([{ error: null, statusCode: 204 }]);
    await send();
    expect(calls).toHaveLength(1);
  });

  it('are asked again later, with the same id and body, until they have heard it', async () => {
    answer = { status: 500 };
    const delivery = await tested(await running.webhooks.createWebhook({ url }, admin));
    await send();
    expect(await delivery()).toMatchObject({
      status: 'PENDING',
      nextAttemptAt: new Date(now + 5_000),
      attempts: [{ error: 'It answered 500', statusCode: 500 }],
    });
    await send();
    expect(calls).toHaveLength(1);
    answer = { status: 200 };
    now += 5_000;
    await send();
    expect(await delivery()).toMatchObject({ status: 'SENT', nextAttemptAt: null });
    const [first, second] = calls.map(({ headers, body }) => [headers['webhook-id'], body]);
    expect(second).toEqual(first);
    const [before, after] = calls.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(Number(after) - Number(before)).toBe(5);
  });

  it.each([
    ['redirects', { status: 302, headers: { location: '/elsewhere' } }, 'PENDING', 'It answered 302'],
    ['is gone', { status: 410 }, 'FAILED', 'It answered 410'],
  ])('say so of one that %s', async (_, given, status, error) => {
    answer = given;
    const delivery = await tested(await running.webhooks.createWebhook({ url }, admin));
    await send();
    expect(await delivery()).toMatchObject({ status, attempts: [{ error, statusCode: given.status }] });
    expect(calls.map(({ path }) => path)).toEqual(['/hook']);
  });

  it('say so of one that does not answer, or is not there', async () => {
    const silent = Promise.withResolvers<undefined>();
    meanwhile = () => silent.promise;
    const late = await tested(await running.webhooks.createWebhook({ url }, admin));
    const gone = await tested(await running.webhooks.createWebhook({ url: 'http://127.0.0.1:9/' }, admin));
    await send(200);
    silent.resolve(undefined);
    expect((await late()).attempts).toMatchObject([
      { error: 'It gave no answer within 0.2 seconds', statusCode: null },
    ]);
    expect((await gone()).attempts).toMatchObject([{ error: expect.stringMatching(/^It cannot be reached/) }]);
  });

  it('hear by another process what one was at when it died', async () => {
    const delivery = await tested(await running.webhooks.createWebhook({ url }, admin));
    const { id } = await delivery();
    const organisationId = admin.caller.organisationId ?? '';
    // As it is left by a process that is killed while the receiver answers.
    await running.pool.tenant(organisationId, (trx) =>
      trx('webhook_deliveries')
        .where({ id })
        .update({ tries: 1, look_at: new Date(now + 60_000) }),
    );
    await send();
    expect(calls).toEqual([]);
    expect(await webhookDeliveriesStore(running.pool).untilDue(new Date(now))).toBe(60_000);
    now += 60_000;
    await send();
    expect([calls.length, (await delivery()).status]).toEqual([1, 'SENT']);
  });

  it('may be removed while they are asked', async () => {
    const webhook = await running.webhooks.createWebhook({ url }, admin);
    await tested(webhook);
    meanwhile = () => running.webhooks.deleteWebhook({ webhookId: webhook.id }, admin);
    await send();
    expect(calls).toHaveLength(1);
    const found = running.webhooks.listWebhookDeliveries({ webhookId: webhook.id }, admin);
    await expect(found).rejects.toMatchObject({ code: 'webhook_not_found' });
  });

  it('are signed with both secrets while one takes the place of the other', async () => {
    const first = await running.webhooks.createWebhook({ url }, admin);
    const second = await running.webhooks.rotateWebhookSecret({ webhookId: first.id, overlapSeconds: 60 }, admin);
    expect(second.secret).not.toBe(first.secret);
    await tested(first);
    await send();
    const [call] = calls;
    const at = new Date(Number(call?.headers['webhook-timestamp']) * 1000);
    const signed = { id: String(call?.headers['webhook-id']), at, payload: call?.body ?? '' };
    expect(call?.headers).toMatchObject(signatureHeaders(signed, [second.secret, first.secret]));
    const shown = await running.webhooks.getWebhook({ webhookId: first.id }, admin);
    expect(JSON.stringify(shown)).not.toMatch(/whsec_|secret/);
  });

  it('are told nothing that is due while they are not enabled, and nothing new', async () => {
    const webhook = await running.webhooks.createWebhook({ url }, admin);
    const delivery = await tested(webhook);
    const off = { webhookId: webhook.id, enabled: false, updateMask: { paths: ['enabled'] } };
    await running.webhooks.updateWebhook(off, admin);
    await send();
    expect(calls).toEqual([]);
    expect(await delivery()).toMatchObject({ status: 'FAILED', attempts: [{ error: 'The webhook is not enabled' }] });
    const test = running.webhooks.testWebhook({ webhookId: webhook.id }, admin);
    await expect(test).rejects.toMatchObject({ code: 'webhook_disabled' });
    await running.webhooks.updateWebhook({ ...off, enabled: true }, admin);
    const { id } = await delivery();
    await running.webhooks.redeliverWebhook({ webhookId: webhook.id, deliveryId: id }, admin);
    await send();
    expect((await delivery()).status).toBe('SENT');
  });

  it('are public addresses by https, and of the organisation that names them', async () => {
    for (const bad of ['http://hooks.example.com/', 'https://10.0.0.7/', 'https://a:b@hooks.example.com/', 'nowhere'])
      await expect(running.webhooks.createWebhook({ url: bad }, admin)).rejects.toMatchObject({ kind: 'invalid' });
    const other = member(newOrganisation(), 'ADMIN');
    const { id } = await running.webhooks.createWebhook({ url }, other);
    const notificationSettings = [{ webhook: { webhookIds: [id] } }];
    const pipeline = running.pipelines.createPipeline({ name: 'Sales', notificationSettings }, admin);
    await expect(pipeline).rejects.toMatchObject({ kind: 'invalid' });
    const task = { name: 'Sales', instruction: 'Say how it is.', notificationSettings };
    await expect(running.taskTemplates.createTaskTemplate(task, admin)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it('are told in turns: many deliveries of one organisation hold up none of another', async () => {
    const [many, other] = [admin, member(newOrganisation(), 'ADMIN')];
    for (let count = 0; count < 3; count += 1) {
      const { id: webhookId } = await running.webhooks.createWebhook({ url: `${url}?many` }, many);
      for (let test = 0; test < 10; test += 1) await running.webhooks.testWebhook({ webhookId }, many);
    }
    const { id: webhookId } = await running.webhooks.createWebhook({ url: `${url}?other` }, other);
    await running.webhooks.testWebhook({ webhookId }, other);
    now = Date.now() + 1_000;
    await send();
    expect(calls).toHaveLength(31);
    expect(calls.slice(0, 16).map(({ path }) => path)).toContain('/hook?other');
  });

  it('are listed with their deliveries, page by page, and forgotten after thirty days', async () => {
    const webhook = await running.webhooks.createWebhook({ url }, admin);
    await running.webhooks.createWebhook({ url, description: 'second' }, admin);
    const all = await running.webhooks.listWebhooks({ limit: 1, includeTotal: true }, admin);
    expect(all).toMatchObject({ webhooks: [{ description: 'second' }], totalCount: 2 });
    const [next] = (await running.webhooks.listWebhooks({ limit: 1, cursor: all.nextCursor }, admin)).webhooks;
    expect(next?.id).toBe(webhook.id);
    await tested(webhook);
    const pending = (status: 'PENDING' | 'SENT') =>
      running.webhooks.listWebhookDeliveries({ webhookId: webhook.id, status: [status] }, admin);
    expect([(await pending('PENDING')).deliveries.length, (await pending('SENT')).deliveries.length]).toEqual([1, 0]);
    const deliveries = webhookDeliveriesStore(running.pool);
    await forgetDeliveries({ deliveries, clock: systemClock });
    expect((await pending('PENDING')).deliveries).toHaveLength(1);
    const later = Date.now() + 31 * 86_400_000;
    await forgetDeliveries({ deliveries, clock: { now: () => new Date(later) } });
    expect((await pending('PENDING')).deliveries).toEqual([]);
  });

  it('have their secrets, and HTTP steps their headers, sealed with a new key, after which the old one is not needed', async () => {
    const organisationId = admin.caller.organisationId ?? '';
    const first = await running.webhooks.createWebhook({ url }, admin);
    const second = await running.webhooks.rotateWebhookSecret({ webhookId: first.id, overlapSeconds: 60 }, admin);
    const http = { secretHeaders: { 'X-Token': 'hunter2' }, headers: { 'X-Shop': '7' } };
    const config = { queryType: 'HTTP' as const, query: url, outputDatasets: ['fetched'], jobType: 'INGEST' as const };
    const steps = [
      { name: 'one', config: { query: 'SELECT 1 AS one', outputDatasets: ['ones'], jobType: 'INGEST' as const } },
      { name: 'two', config: { ...config, http } },
    ];
    const { id: pipelineId } = await running.pipelines.createPipeline({ name: 'Orders', steps }, admin);
    const big = '1152921504606846977';
    await running.pool.system({ 'app.secrets': 'reseal' }, (trx) =>
      trx.raw(
        `UPDATE pipeline_versions SET steps = jsonb_set(steps, '{1,config,parameters}', ?) WHERE pipeline_id = ?`,
        [`{"big": ${big}}`, pipelineId],
      ),
    );
    const key = 'the key that takes its place';
    const kept = () =>
      running.pool.tenant(organisationId, async (trx) => ({
        webhook: await trx('webhooks').where({ id: first.id }).first<Record<string, string>>('secret', 'former_secret'),
        version: await trx('pipeline_versions')
          .where({ pipeline_id: pipelineId })
          .first<{ steps: unknown[]; big: string }>(
            'steps',
            trx.raw(`steps->1->'config'->'parameters'->>'big' AS big`),
          ),
      }));
    const before = await kept();
    const replaced = () =>
      resealedSecrets(service, { ...running.env, SECRETS_KEY: key, SECRETS_KEY_OTHER: SECRETS_KEY });
    const [ofWebhooks, ofSteps] = await replaced();
    // Other organisations have some as well.
    expect(ofWebhooks?.secrets).toBeGreaterThanOrEqual(2);
    expect(ofWebhooks).toMatchObject({ kind: 'webhooks', resealed: ofWebhooks?.secrets, unreadable: 0 });
    expect(ofSteps).toEqual({ kind: 'HTTP steps', secrets: 1, resealed: 1, unreadable: 0 });
    const { webhook, version } = await kept();
    const { open } = secretBox({ key });
    const context = secretContext(organisationId, first.id);
    const opened = [webhook['secret'], webhook['former_secret']].map((sealed) => open(sealed ?? '', context));
    expect(opened).toEqual([second.secret, first.secret]);
    expect(version.steps[0]).toEqual(before.version.steps[0]);
    const { config: after } = version.steps[1] as { config: { http: typeof http } };
    expect(after).toMatchObject({ ...config, http: { headers: http.headers } });
    expect(version.big).toBe(big);
    const header = headerContext(organisationId, url, 'X-Token');
    expect(open(after.http.secretHeaders['X-Token'], header)).toBe('hunter2');
    expect((await replaced()).map(({ resealed }) => resealed)).toEqual([0, 0, 0]);
    // Nothing else changes a version.
    const changed = running.pool.tenant(organisationId, (trx) =>
      trx('pipeline_versions').where({ pipeline_id: pipelineId }).update({ steps: '[]' }),
    );
    expect(await changed).toBe(0);
  });
});
