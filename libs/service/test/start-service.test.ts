import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateServiceKeys } from '@platform-backend/auth';
import { loadContract, protosDirectory } from '@platform-backend/contract';
import { trackActivity } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { freePort } from '@platform-backend/embedded';
import { makeStreams } from '@platform-backend/events/testing';
import { openServiceChannel } from '@platform-backend/grpc';
import { OUTBOX_CHANNEL } from '@platform-backend/postgres';
import { postgres } from '@platform-backend/postgres/storage';
import { throwawayNats, throwawayPostgres, waitFor, type ThrowawayPostgres } from '@platform-backend/testing';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { defineService, type Compose, type OpenOptions } from '../src/index.ts';
import { testEnvironment } from './starters/index.ts';

const happened: string[] = [];
/** What the database says to whoever asks whether it is there. */
let answering = () => Promise.resolve();
const note = (what: string) => void happened.push(what);

const contract = {
  domain: 'notebooks',
  image: join(protosDirectory, 'platform/notebooks/generated/image.binpb'),
};
const kept = postgres({ migrations: new URL('./', import.meta.url) });
const service = defineService({
  name: 'notebooks',
  contract,
  port: 5009,
  settings: {},
  storage: {
    ...kept,
    open: async (options: OpenOptions<typeof kept.settings>) => {
      const opened = await kept.open(options);
      const close = async () => {
        await opened.close();
        note('the storage is closed');
      };
      return { ...opened, close, ping: () => answering() };
    },
  },
  calls: {},
  events: { publishes: true, follows: [], reactions: { 'notebooks-on-closing': 'platform.v1.shops.shop.closed' } },
});
type ThisCompose = Compose<typeof service.declaration>;

/** Handlers for every rpc that there is, by proto service. */
const handlers: Record<string, object> = {};
for (const { service: full, method } of loadContract(contract).operations) {
  const name = full.split('.').at(-1) ?? '';
  const handler = method.charAt(0).toLowerCase() + method.slice(1);
  handlers[name] = { ...handlers[name], [handler]: () => Promise.resolve({}) };
}
const reactions = { 'notebooks-on-closing': () => Promise.resolve() };

describe('starting a service', () => {
  let database: ThrowawayPostgres;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await throwawayPostgres();
    env = testEnvironment(service, database, await generateServiceKeys(['gateway']));
  });
  afterAll(() => database.drop());

  const start = (compose: ThisCompose, change: Record<string, string> = {}) =>
    service.start(compose, {
      env: { ...env, ...change },
      logger: createLogger({ service: 'notebooks', level: 'silent' }),
    });

  it('is refused when nothing handles a proto service of its contract, and closes what was opened', async () => {
    happened.length = 0;
    const [left = '', ...others] = Object.keys(handlers);
    const some = Object.fromEntries(others.map((name) => [name, handlers[name] ?? {}]));
    await expect(start(() => ({ handlers: some, reactions }))).rejects.toThrow(
      `nothing handles platform.notebooks.v1.${left}`,
    );
    expect(happened).toEqual(['the storage is closed']);
  });

  it('is refused when nothing is done about a reaction that it declares', async () => {
    await expect(start(() => ({ handlers }))).rejects.toThrow('notebooks-on-closing');
  });

  it('is refused with everything that is wrong with the settings, before anything is opened', async () => {
    happened.length = 0;
    const wrong = { NATS_URL: 'http://nats', NOTEBOOKS_DATABASE_URL: 'mysql://db', SERVICE_PUBLIC_KEYS: '' };
    const failure: unknown = await start(() => ({ handlers, reactions }), wrong).catch((error: unknown) => error);
    for (const name of Object.keys(wrong)) expect(String(failure)).toContain(name);
    expect(happened).toEqual([]);
  });

  it('goes without a service that nobody says where it is, and refuses what needs it by the name of the setting', async () => {
    const optional = defineService({ ...service.declaration, callsIfThere: { notebooks: contract } });
    const keys = await generateServiceKeys(['notebooks']);
    const lines: { readonly event?: string; readonly variable?: string }[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) };
    let called: Promise<unknown> | undefined;
    const compose: Compose<typeof optional.declaration> = ({ client }) => {
      const notebooks = client<{ getNotebook: (request: object) => Promise<unknown> }>(
        'platform.notebooks.v1.NotebookService',
      );
      called = notebooks.getNotebook({});
      return { handlers, reactions };
    };
    const running = await optional.start(compose, {
      env: { ...env, SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys['notebooks']) },
      logger: createLogger({ service: 'notebooks', level: 'warn', destination }),
    });
    await expect(called).rejects.toMatchObject({
      kind: 'not_provided',
      code: 'service_not_configured',
      message: 'What needs the service notebooks is refused: NOTEBOOKS_ADDRESS does not say where it is',
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ event: 'service.address_missing', variable: 'NOTEBOOKS_ADDRESS' }),
    );
    await running.stop();
  });

  it('lets what ends with it call a service for the first time', async () => {
    const calling = defineService({ ...service.declaration, calls: { notebooks: contract } });
    const keys = await generateServiceKeys(['notebooks']);
    let failure: unknown;
    const compose: Compose<typeof calling.declaration> = ({ client, defer }) => {
      const notebooks = client<{ getNotebook: (request: object) => Promise<unknown> }>(
        'platform.notebooks.v1.NotebookService',
      );
      defer(async () => {
        failure = await notebooks.getNotebook({}).catch((error: unknown) => error);
      });
      return { handlers, reactions };
    };
    const running = await calling.start(compose, {
      env: {
        ...env,
        SERVICE_PRIVATE_KEY: JSON.stringify(keys.privateKeys['notebooks']),
        NOTEBOOKS_ADDRESS: `127.0.0.1:${await freePort()}`,
      },
      logger: createLogger({ service: 'notebooks', level: 'silent' }),
    });
    await running.stop();
    expect(failure).toMatchObject({ kind: 'unavailable' });
  });

  it('is ready from when it serves until it drains, as the page beside its metrics says', async () => {
    const statuses: number[] = [];
    const page = await freePort();
    const look = async () => {
      statuses.push((await fetch(`http://127.0.0.1:${page}/readyz`)).status);
    };
    const compose: ThisCompose = async ({ defer }) => {
      await look();
      defer(look);
      return { handlers, reactions };
    };
    const running = await start(compose, { METRICS_LISTEN: `127.0.0.1:${page}` });
    await look();
    await running.stop();
    expect(statuses).toEqual([503, 200, 503]);
  });

  it('is not ready while its database does not answer, and shows what it works with', async () => {
    const page = await freePort();
    const running = await start(() => ({ handlers, reactions }), { METRICS_LISTEN: `127.0.0.1:${page}` });
    const channel = openServiceChannel(running.address);
    const state = async () => {
      const [ready, alive, healthy, metrics] = await Promise.all([
        fetch(`http://127.0.0.1:${page}/readyz`).then(({ status }) => status),
        fetch(`http://127.0.0.1:${page}/healthz`).then(({ status }) => status),
        channel.healthy(10_000),
        fetch(`http://127.0.0.1:${page}/metrics`).then((answer) => answer.text()),
      ]);
      return { ready, alive, healthy, up: /^dependency_up\{dependency="database"\} (\d)/m.exec(metrics)?.[1] };
    };
    answering = () => Promise.reject(new Error('gone'));
    expect(await state()).toEqual({ ready: 503, alive: 200, healthy: false, up: '0' });
    answering = () => Promise.resolve();
    await waitFor(async () => (await state()).ready === 200, { what: 'the database to be asked again' });
    expect(await state()).toEqual({ ready: 200, alive: 200, healthy: true, up: '1' });
    channel.close();
    await running.stop();
  });

  it('shows whether NATS answers, and is ready without it, as events wait', async () => {
    const page = await freePort();
    const nats = await throwawayNats();
    await makeStreams(nats);
    const running = await start(() => ({ handlers, reactions }), {
      ...{ METRICS_LISTEN: `127.0.0.1:${page}`, NATS_URL: nats.url },
    });
    const state = async () => {
      const [ready, metrics] = await Promise.all([
        fetch(`http://127.0.0.1:${page}/readyz`),
        fetch(`http://127.0.0.1:${page}/metrics`).then((answer) => answer.text()),
      ]);
      const { nats: isUp } = ((await ready.json()) as { dependencies: { nats: boolean } }).dependencies;
      return [ready.status, isUp, /^dependency_up\{dependency="nats"\} (\d)/m.exec(metrics)?.[1]];
    };
    const becomes = (...wanted: Awaited<ReturnType<typeof state>>) =>
      waitFor(async () => isDeepStrictEqual(await state(), wanted), { what: wanted.join() });
    try {
      await becomes(200, true, '1');
      await nats.kill();
      await becomes(200, false, '0');
      await nats.start();
      await becomes(200, true, '1');
    } finally {
      await running.stop();
      await nats.drop();
    }
  });

  it('has work look at once in every replica when one of them has changed something, and rests otherwise', async () => {
    let at = 0;
    const replicas = await Promise.all(
      ['one', 'other'].map(async () => {
        const activity = trackActivity(() => at);
        const replica = { looks: 0, activity, write: () => Promise.resolve() };
        const compose: ThisCompose = ({ storage: { database } }) => {
          // As `appendToOutbox` does it, in the transaction of a change.
          replica.write = () => database.system({}, (trx) => trx.raw('SELECT pg_notify(?, ?)', [OUTBOX_CHANNEL, '']));
          const run = () => Promise.resolve(void (replica.looks += 1));
          return { handlers, reactions, jobs: [{ name: 'the look', everyMs: 1, run }] };
        };
        const running = await service.start(compose, {
          env,
          logger: createLogger({ service: 'notebooks', level: 'silent' }),
          activity,
        });
        return Object.assign(replica, { stop: () => running.stop() });
      }),
    );
    const [writer] = replicas;
    for (let time = 0; time < 2; time += 1) {
      at += 60_000;
      await waitFor(() => replicas.every(({ activity }) => !activity.isLively()));
      const before = replicas.map(({ looks }) => looks);
      await writer?.write();
      // So many looks would take sixteen minutes at rest.
      await waitFor(() => replicas.every(({ looks }, index) => looks > (before[index] ?? 0) + 40));
    }
    for (const replica of replicas) await replica.stop();
  });

  it('has work look at once also when events were written of which the outbox gave no notice', async () => {
    let at = 0;
    let looks = 0;
    let wakeRelay: () => void = () => undefined;
    const activity = trackActivity(() => at);
    const compose: ThisCompose = (context) => {
      wakeRelay = context.wakeRelay;
      const run = () => Promise.resolve(void (looks += 1));
      return { handlers, reactions, jobs: [{ name: 'the look', everyMs: 1, run }] };
    };
    const logger = createLogger({ service: 'notebooks', level: 'silent' });
    const running = await service.start(compose, { env, logger, activity });
    at += 60_000;
    await waitFor(() => !activity.isLively());
    const before = looks;
    wakeRelay();
    // So many looks would take sixteen minutes at rest.
    await waitFor(() => looks > before + 40);
    await running.stop();
  });

  it('ends in the reverse order: work that is repeated, what was deferred, and the storage last', async () => {
    happened.length = 0;
    const working = Promise.withResolvers<undefined>();
    let begun = 0;
    const work = async () => {
      begun += 1;
      await working.promise;
      note('the work in hand is done');
    };
    const running = await start(({ defer }) => {
      defer(() => note('what was deferred is done'));
      return { handlers, reactions, jobs: [{ name: 'work', everyMs: 1, run: work }] };
    });
    await waitFor(() => begun === 1);
    const stopped = running.stop();
    working.resolve(undefined);
    await stopped;
    expect(happened).toEqual(['the work in hand is done', 'what was deferred is done', 'the storage is closed']);
  });
});
