import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { assertionVerifier, callerAssertions, generateServiceKeys, type Caller } from '@platform-backend/auth';
import type { Logger } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import {
  CALLER_ASSERTION,
  createClient,
  openChannel,
  startGrpcServer,
  type CallOptions,
  type ClientOptions,
  type GrpcServer,
  type GrpcServerOptions,
} from '@platform-backend/grpc';
import { thingContract, THINGS, type Thing, type ThingClient, type ThingHandlers } from './thing-contract.ts';

export const contract = thingContract();
export const keys = await generateServiceKeys(['gateway', 'billing', 'content']);

export const ada: Caller = {
  kind: 'user',
  service: 'gateway',
  organisationId: 'org_1',
  userId: 'user_1',
  level: 'EDITOR',
  scopes: [],
};

export const assertionsOf = (service: 'gateway' | 'billing' | 'content') =>
  callerAssertions({ service, privateKey: keys.privateKeys[service] });

/** A logger whose lines can be read. */
export function recordedLog(): { logger: Logger; lines: Record<string, unknown>[]; text: () => string } {
  const written: string[] = [];
  const logger = createLogger({
    service: 'things',
    level: 'debug',
    destination: { write: (line: string) => void written.push(line) },
  });
  return {
    logger,
    get lines() {
      return written.map((line) => JSON.parse(line) as Record<string, unknown>);
    },
    text: () => written.join(''),
  };
}

const unexpected = (): Promise<never> => Promise.reject(new Error('No test asked for this.'));

/** A server of ThingService with the handlers a test cares about. */
export async function thingServer(
  handlers: Partial<ThingHandlers> = {},
  options: Partial<GrpcServerOptions> = {},
): Promise<GrpcServer & { log: ReturnType<typeof recordedLog> }> {
  const log = recordedLog();
  const server = await startGrpcServer({
    contract,
    logger: log.logger,
    listen: '127.0.0.1:0',
    verifier: assertionVerifier({ keys: keys.publicKeys }),
    services: [
      {
        name: THINGS,
        handlers: {
          getThing: unexpected,
          countThings: unexpected,
          showThing: unexpected,
          offerThing: unexpected,
          ...handlers,
        } satisfies ThingHandlers,
      },
    ],
    ...options,
  });
  return { ...server, log };
}

export const thingClient = (address: string, options: Partial<ClientOptions> = {}) =>
  createClient<ThingClient>({ contract, service: THINGS, address, assertions: assertionsOf('gateway'), ...options });

export const asAda: CallOptions = { caller: ada };

/** A call as any gRPC client could make it, with whatever metadata. Resolves with the error, if there is one. */
export async function rawCall(
  address: string,
  method: keyof ThingHandlers,
  metadata: Record<string, string>,
  request: object = {},
): Promise<ServiceError | Thing> {
  const { client } = openChannel(address);
  const headers = new Metadata();
  for (const [name, value] of Object.entries(metadata)) headers.set(name, value);
  const path = method.charAt(0).toUpperCase() + method.slice(1);
  const rpc = contract.serviceDefinition(THINGS)[path];
  if (!rpc) throw new Error(`There is no rpc ${path}.`);
  try {
    return await new Promise((resolve) => {
      client.makeUnaryRequest(
        rpc.path,
        rpc.requestSerialize,
        rpc.responseDeserialize,
        request,
        headers,
        (error, answer) => resolve(error ?? (answer as Thing)),
      );
    });
  } finally {
    client.close();
  }
}

export const assertionHeader = async (
  caller: Caller,
  service: 'gateway' | 'billing' | 'content' = 'gateway',
): Promise<Record<string, string>> => ({ [CALLER_ASSERTION]: await assertionsOf(service).issue(caller) });

/** Servers and clients that are ended together, newest first. */
export function openThings() {
  const opened: (() => unknown)[] = [];
  const serve = async (...settings: Parameters<typeof thingServer>) => {
    const server = await thingServer(...settings);
    opened.push(() => server.drain());
    return server;
  };
  const connect = (...settings: Parameters<typeof thingClient>) => {
    const client = thingClient(...settings);
    opened.push(() => client.close());
    return client;
  };
  const close = async (): Promise<void> => {
    for (const end of opened.splice(0).reverse()) await end();
  };
  return { opened, serve, connect, close };
}
