import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import type { AccessRule } from '@platform-backend/auth';
import { descriptorFiles } from '@platform-backend/contract';
import type { CallContext, CallOptions, GrpcContract } from '@platform-backend/grpc';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export const THINGS = 'kit.things.v1.ThingService';
const PROTOS = join(import.meta.dirname, 'protos');
const BUF = createRequire(import.meta.url).resolve('@bufbuild/buf/bin/buf');

export interface Thing {
  id: string;
  owner?: string;
  shape?: { name: string; corners: number };
  content?: Buffer;
}

export interface ThingHandlers {
  getThing(request: { id: string }, context: CallContext): Promise<Thing>;
  countThings(request: object, context: CallContext): Promise<{ count: number }>;
  showThing(request: { id: string }, context: CallContext): Promise<Thing>;
  offerThing(request: { id: string }, context: CallContext): Promise<Thing>;
}

export interface ThingClient {
  getThing(request: { id: string }, options?: CallOptions): Promise<Thing>;
  countThings(request: object, options?: CallOptions): Promise<{ count: number }>;
  showThing(request: { id: string }, options?: CallOptions): Promise<Thing>;
}

const ACCESS: Record<string, { access: AccessRule; http?: object; idempotent?: true }> = {
  GetThing: {
    access: { credentials: ['TOKEN', 'API_KEY'], level: 'EDITOR', area: 'things', services: ['billing'] },
    http: {},
    idempotent: true,
  },
  OfferThing: { access: { credentials: ['TOKEN'], services: [], openable: true }, http: {} },
  CountThings: { access: { credentials: [], services: ['billing'] } },
  ShowThing: { access: { credentials: ['TOKEN', 'ANONYMOUS'], services: [] }, http: {} },
};

/** A small contract of its own, so that this library is tested without any business. */
export function thingContract(): GrpcContract {
  const definitions = loadSync('kit/things/v1/things.proto', { includeDirs: [PROTOS], defaults: true });
  const definition = definitions[THINGS] as ServiceDefinition;
  return {
    operations: Object.entries(ACCESS).map(([method, rest]) => ({
      service: THINGS,
      grpcPath: `/${THINGS}/${method}`,
      method,
      idempotent: false,
      ...rest,
    })),
    serviceDefinition: (name) => {
      if (name !== THINGS) throw new Error(`There is no service ${name}.`);
      return definition;
    },
    // One rule and one default, so that it can be seen that they are kept.
    requestCheck: () => (request: { id?: string }) => {
      if (request.id === 'default') request.id = 'given';
      return request.id === 'wrong' ? [{ type: 'wrong_id', loc: ['path', 'id'], msg: 'Wrong', input: request.id }] : [];
    },
    streamCheck: () => () => () => [],
    conditionRead: () => ({ newRequest: () => ({}), stateOf: (answer) => answer.toString('hex') }),
    protoImage: () => descriptorFiles(execFileSync(process.execPath, [BUF, 'build', PROTOS, '-o', '-#format=binpb'])),
  };
}
