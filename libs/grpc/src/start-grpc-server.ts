import { Server, setLogger, type ServiceDefinition, type UntypedHandleCall } from '@grpc/grpc-js';
import type { AssertionVerifier } from '@platform-backend/auth';
import type { DomainError, IdempotencyStore, Logger } from '@platform-backend/core';
import type { AccessLog } from '@platform-backend/core/access-log';
import { answerEncoder } from './answer-encoder.ts';
import type { CallObserver } from './call-observer.ts';
import type { GrpcContract } from './contract.ts';
import { drain } from './drain.ts';
import { serveHealth } from './health.ts';
import { MAX_MESSAGE_BYTES } from './message-size.ts';
import { addReflection } from './reflection.ts';
import {
  servedCall,
  type CallEnvironment,
  type HandledOperation,
  type HandledRead,
  type Handler,
} from './serve-call.ts';
import { serverCredentials, type TlsFiles } from './tls.ts';

const DRAIN_LIMIT_MS = 8_000;

export interface ServedService {
  /** `platform.identity.v1.ClientGroupService` */
  name: string;
  /** One function per rpc in camelCase; the generated `<Service>Handlers` type says how each looks. */
  handlers: object;
}

export interface GrpcServerOptions {
  contract: GrpcContract;
  logger: Logger;
  /** Writes the line of each call, which holds named and safe fields only; `logger` unless given. */
  accessLog?: AccessLog | undefined;
  /** `host:port`; port 0 takes any free one. */
  listen: string;
  verifier: AssertionVerifier;
  services: readonly ServedService[];
  /** Plain connections when absent. */
  tls?: TlsFiles | undefined;
  onCall?: CallObserver | undefined;
  /** Where calls with an Idempotency-Key are noted; without it no key counts. */
  idempotencyStore?: IdempotencyStore | undefined;
  /** Whether what every call needs is there, asked with every health check; unless given it is. */
  isHealthy?: (() => Promise<boolean>) | undefined;
  /** Tells any client what the services are; unless given it tells nobody, and no descriptors are read for it. */
  reflection?: boolean | undefined;
  /** Calls in flight get this long to end when the server drains. */
  drainLimitMs?: number;
}

export interface GrpcServer {
  /** `host:port` as bound. */
  readonly address: string;
  /**
   * Reports NOT_SERVING, accepts nothing new, lets calls in flight end, then closes; after the
   * limit it closes anyway. A second call answers with the first.
   */
  drain(): Promise<void>;
}

/**
 * Serves the named services of the contract, with health (`grpc.health.v1`), and reflection where it is switched on.
 *
 * @throws Error when a handler is missing or too many, or the address cannot be bound.
 */
export async function startGrpcServer(options: GrpcServerOptions): Promise<GrpcServer> {
  const { contract, logger, listen, services, tls, drainLimitMs = DRAIN_LIMIT_MS } = options;
  const server = new Server({
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
    // Finds callers that vanished without closing their connection.
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
  });

  // The library writes to the console otherwise, and not in JSON.
  setLogger({
    error: (...words: unknown[]) =>
      logger.warn(
        { event: 'grpc.library_warning', library: 'grpc-js', words },
        'the gRPC library says that something is wrong',
      ),
  });

  const inFlight = new Set<{ end?: ((reason: DomainError) => void) | undefined }>();
  const environment: CallEnvironment = {
    verifier: options.verifier,
    logger,
    accessLog: options.accessLog ?? logger,
    onCall: options.onCall,
    idempotencyStore: options.idempotencyStore,
    track: (end) => {
      const call = { end };
      inFlight.add(call);
      return () => inFlight.delete(call);
    },
  };
  const handled = services.map((service) => {
    const definition = contract.serviceDefinition(service.name);
    return { definition, operations: handledOperations(service, definition, contract) };
  });
  const byPath = new Map(
    handled.flatMap(({ operations }) => Object.values(operations).map((one) => [one.operation.grpcPath, one] as const)),
  );
  for (const { definition, operations } of handled) {
    const methods = Object.entries(operations).map(([method, one]) => {
      const read = handledRead(one, byPath, contract);
      // It is given what its kind of call has.
      return [method, servedCall({ ...one, read }, environment) as UntypedHandleCall] as const;
    });
    server.addService(bytesOnly(definition), Object.fromEntries(methods));
  }

  const names = services.map(({ name }) => name);
  const health = serveHealth(server, ['', ...names], options.isHealthy);
  if (options.reflection) addReflection(server, contract.protoImage(), names);

  const address = await bind(server, listen, tls);
  let draining: Promise<void> | undefined;
  return {
    address,
    drain: () => {
      health.end();
      return (draining ??= drain(server, inFlight, { limitMs: drainLimitMs, logger }));
    },
  };
}

/** Every operation of the service by its name, with what answers it. */
function handledOperations(
  { name, handlers }: ServedService,
  definition: ServiceDefinition,
  contract: GrpcContract,
): Readonly<Record<string, HandledOperation>> {
  const given = new Map(Object.entries(handlers));
  const operations: Record<string, HandledOperation> = {};
  for (const [method, rpc] of Object.entries(definition)) {
    const handlerName = camelCase(method);
    const handler: unknown = given.get(handlerName);
    const operation = contract.operations.find(({ grpcPath }) => grpcPath === rpc.path);
    if (typeof handler !== 'function') throw new Error(`${name} has no handler "${handlerName}".`);
    if (!operation) throw new Error(`${rpc.path} is not an operation of the contract.`);
    given.delete(handlerName);
    const { requestStream, responseStream } = rpc;
    const check = requestStream ? undefined : contract.requestCheck(rpc.path);
    operations[method] = {
      operation,
      requestStream,
      responseStream,
      handler: (handler as Handler).bind(handlers),
      decode: (bytes) => rpc.requestDeserialize(bytes) as object,
      newCheck: check ? () => check : contract.streamCheck(rpc.path),
      encode: answerEncoder(rpc),
    };
  }
  const [unknown] = given.keys();
  if (unknown !== undefined) throw new Error(`${name} has no rpc for the handler "${unknown}".`);
  return operations;
}

/** How what an operation changes is read; undefined where it is not, or by a service that is not served here. */
function handledRead(
  { operation: { changes } }: HandledOperation,
  served: ReadonlyMap<string, HandledOperation>,
  contract: GrpcContract,
): HandledRead | undefined {
  const operation = changes && served.get(changes.grpcPath);
  if (!operation) return undefined;
  return { operation, fields: changes.fields, ...contract.conditionRead(changes.grpcPath) };
}

/** The same service with messages as bytes: `servedCall` reads and writes them itself. */
const bytesOnly = (definition: ServiceDefinition): ServiceDefinition =>
  Object.fromEntries(
    Object.entries(definition).map(([method, rpc]) => [
      method,
      { ...rpc, requestDeserialize: (bytes: Buffer) => bytes, responseSerialize: (bytes: Buffer) => bytes },
    ]),
  );

const camelCase = (method: string): string => method.charAt(0).toLowerCase() + method.slice(1);

async function bind(server: Server, listen: string, tls: TlsFiles | undefined): Promise<string> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(listen, serverCredentials(tls), (error, bound) => {
      if (error) reject(new Error(`Cannot listen on ${listen}: ${error.message}`, { cause: error }));
      else resolve(bound);
    });
  });
  return listen.replace(/:\d+$/, `:${port}`);
}
