import { afterAll, describe, expect, it } from '@jest/globals';
import { hasJupyterServer, startJupyterServer, waitFor } from '@platform-backend/testing';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { remoteProvider } from '../../src/kernels/remote/remote-provider.ts';
import { kernelSuite, startKernel } from './kernel-suite.ts';

if (hasJupyterServer()) {
  const server = await startJupyterServer();
  const { url, token } = server;
  kernelSuite('a real Jupyter Server', () => Promise.resolve(remoteProvider(server)));
  afterAll(() => server.stop());

  const kernelsThere = async () => {
    const response = await fetch(`${url}api/kernels?token=${token}`);
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
      const way = await breakableWayTo(url);
      const provider = remoteProvider({ url: way.url, token });
      const kernel = await startKernel(provider);
      expect(await kernelsThere()).toBe(1);
      way.cut();
      expect(await kernel.died).toBe('The connection to its server is lost');
      await waitFor(async () => (await kernelsThere()) === 0);
      await provider.close();
      way.close();
    });
  });
} else {
  process.stderr.write(
    'there is no Jupyter Server (on Debian: apt-get install jupyter-server python3-ipykernel): its kernels are not tested\n',
  );
  describe.skip('a kernel of a real Jupyter Server', () => {
    it('is tested where there is one', () => undefined);
  });
}

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
