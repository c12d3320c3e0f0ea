import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jupyterServerLack, startJupyterServer, waitFor, type JupyterServer } from '@platform-backend/testing';
import { describeWhere } from '@platform-backend/testing/where';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { remoteProvider } from '../providers/remote/remote-provider.ts';
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
