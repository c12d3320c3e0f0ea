import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RemoteKernels } from '../../domain/remote-kernels.ts';
import { remoteProvider } from './remote-provider.ts';

describe('kernels that processes have left on a server elsewhere', () => {
  let server: Server;
  beforeAll(async () => {
    // It answers nothing about one of them.
    server = createServer((request, response) => {
      if (request.url?.endsWith('/stuck') === true) request.socket.destroy();
      else response.writeHead(204).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  it('are removed, also behind one that cannot be', async () => {
    const left = new Set(['stuck', 'one', 'two']);
    const known: RemoteKernels = {
      add: () => Promise.resolve(),
      renew: () => Promise.resolve(),
      left: () => Promise.resolve([...left]),
      remove: (_, id) => Promise.resolve(void left.delete(id)),
    };
    let now = 0;
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
    const provider = remoteProvider({ url, known, now: () => now });
    for (; now <= 40_000; now += 5_000) await provider.outliving?.renewLeases();
    await expect(provider.outliving?.removeLeft()).rejects.toThrow();
    expect([...left]).toEqual(['stuck']);
    await provider.close();
  });
});
