import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Metadata, status, type Client } from '@grpc/grpc-js';
import { loadContract } from '@platform/contract';
import { openChannel, type GrpcContract, type GrpcServer, type ServedOperation } from '@platform/grpc';
import { ada, assertionHeader, thingServer } from './thing-server.ts';

const BUF = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf');
const contract: GrpcContract = loadContract();
const names = [...new Set(contract.operations.map(({ service }) => service))];

/** Handlers of a whole service that answer everything with an empty message. */
const emptyAnswers = (service: string): object =>
  Object.fromEntries(
    Object.keys(contract.serviceDefinition(service)).map((method) => [
      method.charAt(0).toLowerCase() + method.slice(1),
      () => Promise.resolve({}),
    ]),
  );

describe("the platform's whole contract", () => {
  let server: GrpcServer;
  let channel: Client;
  beforeAll(async () => {
    server = await thingServer(
      {},
      { contract, services: names.map((name) => ({ name, handlers: emptyAnswers(name) })) },
    );
    channel = openChannel(server.address);
  });
  afterAll(async () => {
    channel.close();
    await server.drain();
  });

  const codeOf = ({ grpcPath }: ServedOperation, headers: Record<string, string>): Promise<string> => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const bytes = (message: Buffer): Buffer => message;
    return new Promise((resolve) => {
      channel.makeUnaryRequest(grpcPath, bytes, bytes, Buffer.alloc(0), metadata, (error) =>
        resolve(status[error?.code ?? status.OK]),
      );
    });
  };

  it('is listed by reflection to a client that is not JavaScript, which can link every service of it', async () => {
    const curl = (...args: string[]) =>
      promisify(execFile)(process.execPath, [BUF, 'curl', '--protocol', 'grpc', '--http2-prior-knowledge', ...args], {
        cwd: tmpdir(),
      });
    const { stdout } = await curl('--list-services', `http://${server.address}`);
    expect(stdout.trim().split('\n').sort()).toEqual([...names].sort());
    const { stdout: methods } = await curl('--list-methods', `http://${server.address}`);
    expect(methods.trim().split('\n').sort()).toEqual(
      contract.operations.map(({ grpcPath }) => grpcPath.slice(1)).sort(),
    );
  }, 30_000);

  it('answers no operation to a call without an assertion', async () => {
    for (const operation of contract.operations) {
      expect([operation.grpcPath, await codeOf(operation, {})]).toEqual([operation.grpcPath, 'UNAUTHENTICATED']);
    }
  });

  it('answers the gateway exactly where there is an HTTP binding, or where the gateway is named', async () => {
    const headers = await assertionHeader({ ...ada, level: 'OWNER' });
    for (const operation of contract.operations) {
      const { access, http, grpcPath } = operation;
      const open = access.credentials.includes('TOKEN') && (http !== undefined || access.services.includes('gateway'));
      expect([grpcPath, await codeOf(operation, headers)]).toEqual([grpcPath, open ? 'OK' : 'PERMISSION_DENIED']);
    }
  });

  it('answers another service exactly where that service is named', async () => {
    const headers = await assertionHeader({ kind: 'service', service: 'content', scopes: [] }, 'content');
    for (const operation of contract.operations) {
      const open = operation.access.services.includes('content');
      expect([operation.grpcPath, await codeOf(operation, headers)]).toEqual([
        operation.grpcPath,
        open ? 'OK' : 'PERMISSION_DENIED',
      ]);
    }
  });
});
