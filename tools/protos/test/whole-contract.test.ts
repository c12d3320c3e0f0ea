import { Metadata, status, type Client, type ServiceError } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Operation } from '@platform-backend/contract';
import { brokenRequests } from '@platform-backend/contract/testing/broken-requests';
import { sampleRequest, type Sample } from '@platform-backend/contract/testing/sample-requests';
import { loadPlatformContract } from '@platform-backend/contracts';
import { errorFromStatus, openChannel, type GrpcServer } from '@platform-backend/grpc';
import { ada, assertionHeader, thingServer } from '@platform-backend/grpc/testing/thing-server';
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

const BUF = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf');
const contract = loadPlatformContract();
const names = [...new Set(contract.operations.map(({ service }) => service))];

/** Handlers of a whole service that answer everything with an empty message, or with a stream of one. */
const emptyAnswers = (service: string): object =>
  Object.fromEntries(
    Object.entries(contract.serviceDefinition(service)).map(([method, { responseStream }]) => [
      method.charAt(0).toLowerCase() + method.slice(1),
      responseStream ? () => Readable.from([{}]) : () => Promise.resolve({}),
    ]),
  );

describe("the platform's whole contract", () => {
  let server: GrpcServer;
  let channel: Client;
  beforeAll(async () => {
    server = await thingServer(
      {},
      { contract, reflection: true, services: names.map((name) => ({ name, handlers: emptyAnswers(name) })) },
    );
    channel = openChannel(server.address).client;
  });
  afterAll(async () => {
    channel.close();
    await server.drain();
  });

  const errorOf = (
    { service, method, grpcPath }: Operation,
    headers: Record<string, string>,
    request: Sample,
  ): Promise<ServiceError | null> => {
    const metadata = new Metadata();
    for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
    const rpc = contract.serviceDefinition(service)[method];
    if (!rpc) throw new Error(`There is no rpc ${grpcPath}.`);
    return new Promise((resolve) => {
      if (rpc.responseStream) {
        const { path, requestSerialize, responseDeserialize } = rpc;
        const answers = channel.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata);
        answers.on('error', resolve).on('end', () => resolve(null));
        answers.resume();
        return;
      }
      channel.makeUnaryRequest(rpc.path, rpc.requestSerialize, rpc.responseDeserialize, request, metadata, resolve);
    });
  };
  const codeOf = async (operation: Operation, headers: Record<string, string>): Promise<string> => {
    const error = await errorOf(operation, headers, sampleRequest(operation, 'least'));
    return status[error?.code ?? status.OK];
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
  });

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

  it('answers a request that breaks a rule with what is wrong with it', async () => {
    const headers = await assertionHeader({ ...ada, level: 'OWNER' });
    const bound = contract.operations.filter(
      ({ access, http, requestStream }) => http && access.credentials.includes('TOKEN') && !requestStream,
    );
    const broken = bound.flatMap((operation) =>
      brokenRequests(operation)
        .slice(0, 1)
        .map((each) => ({ operation, ...each })),
    );
    expect(broken.length).toBeGreaterThan(bound.length / 2);
    for (const { operation, what, request, type } of broken) {
      const error = await errorOf(operation, headers, request);
      expect([what, error && errorFromStatus(error)]).toEqual([
        what,
        expect.objectContaining({ kind: 'invalid', violations: [expect.objectContaining({ type })] }),
      ]);
    }
  });
});
