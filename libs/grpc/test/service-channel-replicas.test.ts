import { ServerCredentials } from '@grpc/grpc-js';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { certificates, waitFor } from '@platform-backend/testing';
import { promises as dns } from 'node:dns';
import { readFileSync } from 'node:fs';
import {
  type Calling,
  callingBy,
  CLIENTS,
  closeOpened,
  fragileWayTo,
  grpcServer,
  type Handlers,
  opened,
  READ,
} from './channels-under-test.ts';

afterEach(closeOpened);

describe.each(Object.entries(CLIENTS))('%s', (_name, open) => {
  const { channelTo, call, failure } = callingBy(open);

  describe('with several replicas', () => {
    const named = (name: string, handlers: Handlers = {}) =>
      grpcServer({ unary: (_call, done) => done(null, Buffer.from(name)), ...handlers });
    const everybody = async (channel: Calling, names: readonly string[]): Promise<void> => {
      const heard = new Set<string>();
      await waitFor(async () => {
        for (const answer of await Promise.all(names.map(() => call(channel)))) heard.add(String(answer));
        return names.every((name) => heard.has(name));
      });
    };

    it('uses all of them', async () => {
      const servers = await Promise.all(['one', 'two', 'three'].map((name) => named(name)));
      await everybody(channelTo(servers.map(({ address }) => address).join(',')), ['one', 'two', 'three']);
    });

    it('follows a name whose replica moves, and lets its last call end', async () => {
      const served = Promise.withResolvers<() => void>();
      const first = await grpcServer({
        unary: ({ request }, done) => {
          if (String(request) === 'slow') served.resolve(() => done(null, Buffer.from('first')));
          else done(null, Buffer.from('first'));
        },
      });
      const lookup = jest.spyOn(dns, 'lookup') as unknown as jest.Mock<() => Promise<object>>;
      let address = '127.0.0.1';
      lookup.mockImplementation(() => Promise.resolve([{ address, family: 4 }]));
      const channel = channelTo(`dns:///bytes.internal:${first.port}`, { connectLimitMs: 60_000 });
      expect(String(await call(channel))).toBe('first');
      const last = call(channel, 'slow', { ms: 60_000 });
      const finish = await served.promise;
      await grpcServer(
        { unary: (_call, done) => done(null, Buffer.from('second')) },
        { listen: `127.0.0.2:${first.port}` },
      );
      address = '127.0.0.2';
      await waitFor(async () => String(await call(channel)) === 'second');
      finish();
      expect(String(await last)).toBe('first');
    });

    it('makes an idempotent call again whose replica is lost, and no other', async () => {
      const stuck: string[] = [];
      let isDoomed = false;
      let handled = 0;
      const doomed = await grpcServer({
        unary: ({ request }, done) => {
          if (isDoomed) stuck.push(String(request));
          else done(null, Buffer.from('doomed'));
        },
      });
      const other = await grpcServer({
        unary: (_call, done) => {
          if (isDoomed) handled += 1;
          done(null, Buffer.from('other'));
        },
      });
      const way = await fragileWayTo(doomed.port);
      const channel = channelTo(`${way.address},${other.address}`);
      await everybody(channel, ['doomed', 'other']);
      isDoomed = true;
      const many = Array.from({ length: 10 }, (_, n) => n);
      const reads = Promise.all(many.map(() => call(channel, 'read', { path: READ })));
      const changes = Promise.all(many.map(() => call(channel, 'change').catch((error: unknown) => error)));
      await waitFor(() => stuck.length + handled === 20, { what: 'every call to have arrived' });
      way.cut();
      expect(new Set((await reads).map(String))).toEqual(new Set(['other']));
      const lost = (await changes).filter((each) => each instanceof Error);
      for (const each of lost) expect(each).toMatchObject({ kind: 'unavailable' });
      expect(lost).toHaveLength(stuck.filter((each) => each === 'change').length);
      expect(lost.length).toBeGreaterThan(0);
    });

    it('loses no call while they are restarted in turn', async () => {
      const replicas = [await named('one'), await named('two')];
      const channel = channelTo(replicas.map(({ address }) => address).join(','));
      await everybody(channel, ['one', 'two']);
      const failures: unknown[] = [];
      let restarting = true;
      const callers = Promise.all(
        Array.from({ length: 8 }, async () => {
          while (restarting) await call(channel).catch((error: unknown) => failures.push(error));
        }),
      );
      for (const index of [0, 1]) {
        const { server, address } = replicas[index] as (typeof replicas)[number];
        await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
        await grpcServer({ unary: (_call, done) => done(null, Buffer.from('again')) }, { listen: address });
        await waitFor(async () => String(await call(channel)) === 'again');
      }
      restarting = false;
      await callers;
      expect(failures).toEqual([]);
    });
  });

  it('speaks TLS with replicas that bear a name of the address, and with no others', async () => {
    const authority = await certificates();
    opened.push(() => authority.remove());
    const [own, good, bad] = await Promise.all([
      authority.issue('client'),
      authority.issue('good', 'localhost'),
      authority.issue('bad', 'elsewhere.example'),
    ]);
    const secure = async (name: string, files: typeof own) =>
      grpcServer(
        { unary: (_call, done) => done(null, Buffer.from(name)) },
        {
          credentials: ServerCredentials.createSsl(
            readFileSync(files.authority),
            [{ cert_chain: readFileSync(files.certificate), private_key: readFileSync(files.key) }],
            true,
          ),
        },
      );
    const [ours, stranger] = [await secure('ours', good), await secure('stranger', bad)];
    const [at, elsewhere] = [`localhost:${ours.port}`, `localhost:${stranger.port}`];
    expect(String(await call(channelTo(at, { tls: own })))).toBe('ours');
    expect((await failure(call(channelTo(elsewhere, { tls: own })))).kind).toBe('unavailable');
    expect((await failure(call(channelTo(at)))).kind).toBe('unavailable');
    const both = channelTo(`${at},${elsewhere}`, { tls: own });
    for (let n = 0; n < 6; n += 1) expect(String(await call(both))).toBe('ours');
  });
});
