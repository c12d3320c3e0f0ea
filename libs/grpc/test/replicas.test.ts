import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { unavailable } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { certificates, waitFor } from '@platform-backend/testing';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

import type { ThingHandlers } from './thing-contract.ts';
import { asAda, thingClient, thingServer } from './thing-server.ts';

const opened: (() => unknown)[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  for (const close of opened.splice(0).reverse()) await close();
});

/** A replica whose answers say which one it is. */
async function replica(name: string, ...[handlers, options]: Parameters<typeof thingServer>) {
  const handled: string[] = [];
  const answer = (request: { id: string }) => {
    handled.push(request.id);
    return Promise.resolve({ id: request.id, owner: name });
  };
  const server = await thingServer({ getThing: answer, showThing: answer, ...handlers }, options);
  opened.push(() => server.drain());
  return { ...server, handled };
}

function clientOf(...[address, options]: Parameters<typeof thingClient>) {
  const client = thingClient(address, options);
  opened.push(() => client.close());
  return client;
}

const addressOf = (replicas: readonly { address: string }[]) => replicas.map(({ address }) => address).join(',');
const portOf = ({ address }: { address: string }) => Number(address.split(':')[1]);

/** Who answers, until all of these have. */
async function everybodyAnswers(client: ReturnType<typeof thingClient>, names: readonly string[]): Promise<void> {
  const heard = new Set<string | undefined>();
  await waitFor(
    async () => {
      heard.add((await client.getThing({ id: 'who' }, asAda)).owner);
      return names.every((name) => heard.has(name));
    },
    { what: `answers of ${names.join(' and ')}` },
  );
}

/** A way to a server on which the power can be cut. */
async function fragileWayTo(server: { address: string }) {
  const sockets = new Set<Socket>();
  const way = createServer((socket) => {
    const onward = connect(portOf(server), '127.0.0.1');
    for (const each of [socket, onward]) {
      sockets.add(each);
      each.on('error', () => undefined);
    }
    socket.pipe(onward).pipe(socket);
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const cut = () => {
    way.close();
    for (const socket of sockets) socket.destroy();
  };
  /** As behind a process that is stopped: the system takes connections, and nobody reads them. */
  const freeze = () => {
    way.removeAllListeners('connection').on('connection', (socket) => sockets.add(socket.pause()));
    for (const socket of sockets) socket.unpipe().pause();
  };
  opened.push(cut);
  return { address: `127.0.0.1:${(way.address() as AddressInfo).port}`, cut, freeze };
}

describe('several replicas of a service', () => {
  it('take turns', async () => {
    const replicas = await Promise.all(['one', 'two', 'three'].map((name) => replica(name)));
    await everybodyAnswers(clientOf(addressOf(replicas)), ['one', 'two', 'three']);
  });

  it('may be restarted in turn, and no call is lost or made twice', async () => {
    const replicas = [await replica('one'), await replica('two')];
    const client = clientOf(addressOf(replicas));
    const handled: string[] = [];
    const failures: unknown[] = [];
    let restarting = true;
    const caller = async (name: string) => {
      for (let n = 0; restarting; n += 1) {
        // Not idempotent: it must not be made again unless it is certain that no handler has seen it.
        await client.showThing({ id: `${name}-${n}` }, asAda).then(
          ({ id }) => handled.push(id),
          (error: unknown) => failures.push(error),
        );
      }
    };
    const callers = Promise.all(Array.from({ length: 20 }, (_, index) => caller(String(index))));
    const seen: string[] = [];
    for (const index of [0, 1, 0, 1]) {
      const before = replicas[index];
      if (!before) throw new Error('There is no such replica.');
      await waitFor(() => before.handled.length > 0, { what: 'calls on the replica' });
      await before.drain();
      seen.push(...before.handled);
      // At once, and so before anybody knows that the other one is back.
      replicas[index] = await replica('again', {}, { listen: before.address });
    }
    restarting = false;
    await callers;
    expect(failures).toEqual([]);
    seen.push(...replicas.flatMap((each) => each.handled));
    expect(seen.sort()).toEqual(handled.sort());
  });

  it('may be lost in the middle of calls: those that are idempotent are made again, and no others', async () => {
    const stuck = new Set<string>();
    const hold = ({ id }: { id: string }) => {
      stuck.add(id);
      return new Promise<never>(() => undefined);
    };
    const handlers: Partial<ThingHandlers> = { getThing: hold, showThing: hold };
    const [doomed, other] = [await replica('doomed', handlers, { drainLimitMs: 0 }), await replica('other')];
    const way = await fragileWayTo(doomed);
    const client = clientOf(addressOf([way, other]));
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    // Both have to be connected: otherwise nobody would be sent the way that is to break.
    await waitFor(async () => {
      await Promise.race([client.getThing({ id: 'first' }, asAda), client.getThing({ id: 'second' }, asAda)]);
      return stuck.size > 0;
    });
    const idempotent = Promise.all(ids.map((id) => client.getThing({ id: `get-${id}` }, asAda)));
    const others = Promise.allSettled(ids.map((id) => client.showThing({ id: `show-${id}` }, asAda)));
    await waitFor(() => stuck.size + other.handled.length >= 2 * ids.length, { what: 'every call to have arrived' });
    way.cut();

    expect((await idempotent).map(({ owner }) => owner)).toEqual(ids.map(() => 'other'));
    const lost = (await others).filter((outcome) => outcome.status === 'rejected');
    for (const { reason } of lost) expect(reason).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
    const unrepeated = [...stuck].filter((id) => id.startsWith('show-'));
    expect(lost).toHaveLength(unrepeated.length);
    expect(other.handled).not.toEqual(expect.arrayContaining(unrepeated.slice(0, 1)));
  });

  it('may freeze: the others are called within a second, and what was on its way succeeds or is told to come again', async () => {
    const [doomed, other] = [await replica('doomed'), await replica('other')];
    const way = await fragileWayTo(doomed);
    const client = clientOf(addressOf([way, other]));
    await everybodyAnswers(client, ['doomed', 'other']);
    way.freeze();
    // Far longer than a frozen replica is believed in.
    const patient: CallOptions = { ...asAda, timeoutMs: 12_000 };
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    const gets = Promise.all(ids.map((id) => client.getThing({ id }, patient)));
    const shows = Promise.allSettled(ids.map((id) => client.showThing({ id }, patient)));
    await delay(1_000);
    const later = await Promise.all(ids.map((id) => client.showThing({ id }, patient)));
    expect(later.map(({ owner }) => owner)).toEqual(ids.map(() => 'other'));
    expect((await gets).map(({ owner }) => owner)).toEqual(ids.map(() => 'other'));
    const lost = (await shows).filter((outcome) => outcome.status === 'rejected');
    for (const { reason } of lost) expect(reason).toMatchObject({ kind: 'unavailable', retryAfterSeconds: 1 });
    expect(lost.length).toBeGreaterThan(0);
  });

  it('are waited for while none of them is there', async () => {
    const [one, two] = [await replica('one'), await replica('two')];
    const client = clientOf(addressOf([one, two]), { connectLimitMs: 60_000 });
    await client.getThing({ id: 'before' }, asAda);
    await Promise.all([one.drain(), two.drain()]);
    const call = client.showThing({ id: 'between' }, { ...asAda, timeoutMs: 60_000 });
    await replica('again', {}, { listen: two.address });
    expect(await call).toMatchObject({ owner: 'again' });
  });

  it('are given up in time when none of them comes back', async () => {
    const client = clientOf('127.0.0.1:1,127.0.0.1:2');
    await expect(client.getThing({ id: 't1' }, { ...asAda, timeoutMs: 120_000 })).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Service Unavailable',
    });
  });

  it('decide for themselves that they cannot serve, once', async () => {
    let asked = 0;
    const busy = () => {
      asked += 1;
      return Promise.reject(unavailable(new Error('busy')));
    };
    const [one, two] = [await replica('one', { getThing: busy }), await replica('two', { getThing: busy })];
    await expect(clientOf(addressOf([one, two])).getThing({ id: 't1' }, asAda)).rejects.toMatchObject({
      kind: 'unavailable',
    });
    expect(asked).toBe(1);
  });
});

describe('a name that stands for all replicas', () => {
  it('is looked up again while all is well, so that those which join later get calls', async () => {
    const first = await replica('first');
    const lookup = jest.spyOn(dns, 'lookup') as unknown as jest.Mock<() => Promise<object>>;
    const known = [{ address: '127.0.0.1', family: 4 }];
    lookup.mockImplementation(() => Promise.resolve(known));
    const client = clientOf(`dns:///things.internal:${portOf(first)}`);
    await everybodyAnswers(client, ['first']);

    await replica('second', {}, { listen: `127.0.0.2:${portOf(first)}` });
    known.push({ address: '127.0.0.2', family: 4 });
    await everybodyAnswers(client, ['first', 'second']);
  });

  it('is followed when a replica moves', async () => {
    const first = await replica('first');
    const lookup = jest.spyOn(dns, 'lookup') as unknown as jest.Mock<() => Promise<object>>;
    let address = '127.0.0.1';
    lookup.mockImplementation(() => Promise.resolve([{ address, family: 4 }]));
    const client = clientOf(`dns:///things.internal:${portOf(first)}`, { connectLimitMs: 60_000 });
    await everybodyAnswers(client, ['first']);

    await replica('second', {}, { listen: `127.0.0.2:${portOf(first)}` });
    address = '127.0.0.2';
    await first.drain();
    expect(await client.getThing({ id: 'moved' }, asAda)).toMatchObject({ owner: 'second' });
  });
});

describe('replicas with TLS', () => {
  it('each have to bear a name of the address', async () => {
    const authority = await certificates();
    opened.push(() => authority.remove());
    const [own, byName, byAddress, elsewhere] = await Promise.all([
      authority.issue('client'),
      authority.issue('by-name', 'localhost'),
      authority.issue('by-address', '127.0.0.1'),
      authority.issue('elsewhere', 'elsewhere.example'),
    ]);
    const named = await replica('named', {}, { tls: byName });
    const addressed = await replica('addressed', {}, { tls: byAddress });
    const stranger = await replica('stranger', {}, { tls: elsewhere });

    const address = [`localhost:${portOf(named)}`, stranger.address, addressed.address].join(',');
    const client = clientOf(address, { tls: own });
    await everybodyAnswers(client, ['named', 'addressed']);
    for (let n = 0; n < 10; n += 1) await client.getThing({ id: String(n) }, asAda);
    expect(stranger.handled).toEqual([]);

    await expect(
      clientOf(`localhost:${portOf(stranger)}`, { tls: own }).getThing({ id: 't1' }, asAda),
    ).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
});
