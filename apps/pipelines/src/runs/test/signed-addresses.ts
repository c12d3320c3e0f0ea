import { DomainError } from '@platform-backend/core';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { DatasetClient } from '../../../test/dataset-client.ts';

const STATUS: Readonly<Record<string, number>> = { not_found: 404, conflict: 409, forbidden: 403 };

/** Where signed addresses lead, as the gateway has it: bytes by HTTP to and from the service. */
export async function openSignedAddresses() {
  let client: Pick<DatasetClient, 'put' | 'download'> | undefined;
  let downloads: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = `${url}${request.url ?? ''}`;
    try {
      if (request.method === 'PUT')
        await client?.put(address, request.headers['content-type'] ?? '', await buffer(request));
      else {
        await downloads;
        response.write((await client?.download(address)) ?? '');
      }
      response.end();
    } catch (error) {
      response.writeHead((error instanceof DomainError && STATUS[error.kind]) || 500).end();
    }
  }

  return {
    url,
    /** Lets whoever downloads wait, a step in its pod for example, until what is returned is called. */
    holdDownloads: () => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      downloads = promise;
      return () => resolve(undefined);
    },
    leadTo: (service: Pick<DatasetClient, 'put' | 'download'>) => void (client = service),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
