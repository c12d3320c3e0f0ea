import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger } from '@platform-backend/core/logger';
import { openDatabase } from '@platform-backend/postgres';
import { migratedDatabase } from '@platform-backend/service/testing';
import { jupyterServerLack, startJupyterServer, waitFor, type JupyterServer } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { service } from '../../service.ts';
import { remoteProvider } from '../providers/remote/remote-provider.ts';
import { remoteKernelsStore } from '../store/remote-kernels-store.ts';
import { kernelClient } from './kernel-client.ts';
import { kernelSuite, startKernel } from './kernel-suite.ts';

describeWhere(jupyterServerLack(), 'kernels of a Jupyter Server elsewhere', () => {
  let server: JupyterServer;
  beforeAll(async () => {
    server = await startJupyterServer();
  });
  afterAll(() => server.stop());
  kernelSuite('a real Jupyter Server', (how) => Promise.resolve(remoteProvider({ ...server, ...how })));

  const kernelsThere = async () => {
    const response = await fetch(`${server.url}api/kernels?token=${server.token}`);
    return ((await response.json()) as unknown[]).length;
  };

  describe('kernels that have ended', () => {
    it('are not left behind on their server, also where it has started one anew that had died', async () => {
      await waitFor(async () => (await kernelsThere()) === 0, { what: 'all kernels of the tests above to be gone' });
    });
  });

  describe('kernels of a process that is killed', () => {
    it('stay on their server until another process removes them, which leaves its own in peace', async () => {
      await waitFor(async () => (await kernelsThere()) === 0, { what: 'those of other tests to be gone' });
      const postgres = await migratedDatabase(service);
      const logger = createLogger({ service: 'notebooks', level: 'silent' });
      const database = openDatabase({ url: postgres.appUrl, applicationName: 'another process', logger });
      const admin = new pg.Client({ connectionString: postgres.adminUrl });
      await admin.connect();
      const owner = fork(join(import.meta.dirname, 'remote-owner.ts'), [server.url, server.token, postgres.appUrl], {
        ...{ stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] },
      });
      await once(owner, 'message');
      const killed = once(owner, 'exit');
      owner.kill('SIGKILL');
      await killed;
      let now = 0;
      const known = remoteKernelsStore(database);
      const provider = remoteProvider({ ...server, known, now: () => now });
      const kernel = await startKernel(provider);
      expect(await kernelsThere()).toBe(2);
      for (; now <= 20_000; now += 5_000) {
        // Time passes by the clock of PostgreSQL, too.
        await admin.query(`UPDATE remote_kernels SET lease_until = lease_until - interval '5 seconds'`);
        await provider.outliving?.renewLeases();
        if (now <= 10_000) await provider.outliving?.removeLeft();
        if (now === 10_000) expect(await kernelsThere()).toBe(2);
      }
      await provider.outliving?.removeLeft();
      expect(await kernelsThere()).toBe(1);
      expect((await kernelClient(kernel).execute('6 * 7')).reply).toMatchObject({ status: 'ok' });
      await provider.close();
      expect(await kernelsThere()).toBe(0);
      expect((await admin.query('SELECT FROM remote_kernels')).rowCount).toBe(0);
      await admin.end();
      await database.close();
      await postgres.drop();
    });
  });

  describe('a kernel whose connection to its server is lost', () => {
    it('is dead, and is not left behind there', async () => {
      await waitFor(async () => (await kernelsThere()) === 0, { what: 'those of other tests to be gone' });
      const way = await breakableWayTo(server.url);
      const provider = remoteProvider({ url: way.url, token: server.token });
      const kernel = await startKernel(provider);
      expect(await kernelsThere()).toBe(1);
      way.cut();
      expect(await kernel.died).toBe('The connection to its server is lost');
      await waitFor(async () => (await kernelsThere()) === 0);
      await provider.close();
      way.close();
    });
  });
});

/** A way to a server whose connections can be cut, all that there are. */
async function breakableWayTo(url: string) {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  const way = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from);
      from.pipe(to);
      from.on('error', () => undefined).on('close', () => (open.delete(from), to.destroy()));
    }
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  const close = (): void => {
    cut();
    way.close();
  };
  return { url: `http://127.0.0.1:${String((way.address() as AddressInfo).port)}/`, cut, close };
}
