import { Metadata, status, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import type { Caller, CallerAssertions } from '@platform-backend/auth';
import {
  ANSWER_MARGIN_MS,
  callHasChanged,
  deadlineExceeded,
  DomainError,
  newId,
  presentRequestId,
} from '@platform-backend/core';
import { Readable } from 'node:stream';
import type { CallContext } from './call-context.ts';
import type { CallObserver } from './call-observer.ts';
import { openChannel, type ChannelSettings } from './channel.ts';
import type { GrpcContract } from './contract.ts';
import { errorFromStatus, errorOfChange } from './error-status.ts';
import { ERROR_TABLE } from './error-table.ts';
import { cancelled } from './errors.ts';
import { CALLER_ASSERTION, IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, REQUEST_ID } from './metadata-names.ts';
import { openServiceChannel, type ServiceChannel } from './service-channel/service-channel.ts';
import { answersOf } from './stream-call.ts';
import { endSpan, startClientSpan } from './tracing.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Of a stream, from its beginning to its end. */
const STREAM_TIMEOUT_MS = 60 * 60_000;
/** Of a stream on which nothing moves. */
const STREAM_IDLE_MS = 5 * 60_000;

export interface CallOptions {
  /** The call being served: its caller, request id, deadline and cancellation are handed on. */
  context?: CallContext | undefined;
  /**
   * For whom the call is made. A caller: on its behalf. An organisation: on the calling service's own authority, for
   * that organisation. Unless given: the context's caller, or else the calling service itself.
   */
  caller?: Caller | { readonly organisationId: string } | undefined;
  /** Longest wait, in milliseconds; the context's deadline may make it shorter. */
  timeoutMs?: number | undefined;
  /** Of a stream: longest wait for the next message either way, in milliseconds. */
  idleMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** When there is no context. Unless given: that of the request which the present work comes of. */
  requestId?: string | undefined;
  /** Of the gateway alone, see D23; that of the call being served is for that one. */
  idempotencyKey?: string | undefined;
  /** Of the gateway alone: the states in one of which the thing has to be, separated by spaces, or `*`. */
  ifMatch?: string | undefined;
  /** Of the gateway alone: the states in none of which it may be, or `*` for any. */
  ifNoneMatch?: string | undefined;
}

export interface ClientOptions extends Pick<ChannelSettings, 'tls' | 'connectLimitMs'> {
  contract: GrpcContract;
  /** `platform.identity.v1.ClientGroupService` */
  service: string;
  /** See `Replicas`. */
  address: string;
  assertions: CallerAssertions;
  timeoutMs?: number;
  onCall?: CallObserver | undefined;
}

export type Closable = Pick<ServiceChannel, 'close'>;

type Call = (request: unknown, options?: CallOptions) => Promise<unknown> | AsyncIterable<unknown>;

/**
 * A typed client of one service: one function per rpc in camelCase, each rejecting with the
 * DomainError that the service threw. A service that cannot be reached is `unavailable` within 2 s.
 * Streams are async iterables: of requests as the argument, of answers as the result.
 * `T` is the generated `<Service>Client` type.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- only the caller knows the generated type
export function createClient<T extends object>(options: ClientOptions): T & Closable {
  const { contract, service, address, assertions, tls, connectLimitMs, onCall } = options;
  const operations = contract.operations.filter((operation) => operation.service === service);
  const channel = openServiceChannel(address, { tls, operations, connectLimitMs });
  const streamChannel = openChannel(address, { tls, connectLimitMs });
  const idempotent = new Set(operations.filter((each) => each.idempotent).map(({ grpcPath }) => grpcPath));

  /** What every call begins with, and how it is accounted for when it has ended. */
  const begin = async (path: string, callOptions: CallOptions, defaultTimeoutMs: number) => {
    const startedAt = performance.now();
    const deadline = deadlineFor(callOptions, defaultTimeoutMs);
    const metadata = new Metadata();
    const { context, requestId } = callOptions;
    metadata.set(REQUEST_ID, context?.requestId ?? requestId ?? presentRequestId() ?? newId());
    metadata.set(CALLER_ASSERTION, await assertions.issue(callerFor(callOptions, assertions.service)));
    if (callOptions.idempotencyKey !== undefined) metadata.set(IDEMPOTENCY_KEY, callOptions.idempotencyKey);
    if (callOptions.ifMatch !== undefined) metadata.set(IF_MATCH, callOptions.ifMatch);
    if (callOptions.ifNoneMatch !== undefined) metadata.set(IF_NONE_MATCH, callOptions.ifNoneMatch);
    const span = startClientSpan(path, metadata);
    const end = (code: status): void => {
      endSpan(span, code);
      onCall?.({ method: path, code, durationMs: performance.now() - startedAt });
    };
    return { metadata, deadline, signals: signalsOf(callOptions), end };
  };

  const single = (rpc: MethodDefinition<unknown, unknown>) =>
    async function (request: unknown, callOptions: CallOptions = {}): Promise<unknown> {
      const begun = await begin(rpc.path, callOptions, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      let code = status.OK;
      try {
        const message = converted(() => rpc.requestSerialize(request ?? {}));
        const answer = await callOnce(channel, rpc.path, { message, ...begun });
        if (!idempotent.has(rpc.path)) callHasChanged();
        return converted((): unknown => rpc.responseDeserialize(answer));
      } catch (error) {
        const failure = failureOf(idempotent.has(rpc.path) ? error : errorOfChange(error));
        code = ERROR_TABLE[failure.kind].grpcStatus;
        throw failure;
      } finally {
        begun.end(code);
      }
    };

  const streamed = (rpc: MethodDefinition<unknown, unknown>) =>
    async function* (request: unknown, callOptions: CallOptions = {}): AsyncGenerator {
      const { idleMs = STREAM_IDLE_MS } = callOptions;
      const begun = await begin(rpc.path, callOptions, STREAM_TIMEOUT_MS);
      // Unless it comes to its end, whoever took its answers has left.
      let code = status.CANCELLED;
      try {
        const streams = await streamChannel.streams(begun.deadline);
        const requests = rpc.requestStream ? (request as AsyncIterable<unknown>) : Readable.from([request ?? {}]);
        yield* answersOf(streams, rpc, { requests, idleMs, ...begun });
        code = status.OK;
      } catch (error) {
        const failure = failureOf(error);
        code = ERROR_TABLE[failure.kind].grpcStatus;
        throw failure;
      } finally {
        begun.end(code);
      }
    };

  const calls: Record<string, Call | Closable['close']> = {
    close: () => {
      channel.close();
      streamChannel.close();
    },
  };
  for (const [method, rpc] of Object.entries(contract.serviceDefinition(service))) {
    const isStream = rpc.requestStream || rpc.responseStream;
    calls[methodName(method)] = !isStream
      ? single(rpc)
      : rpc.responseStream
        ? streamed(rpc)
        : onlyAnswer(streamed(rpc));
  }
  return calls as T & Closable;
}

/** Of an rpc's name: `GetMember` is `getMember`. */
export const methodName = (rpc: string): string => rpc.charAt(0).toLowerCase() + rpc.slice(1);

/** Of an rpc that streams requests alone: its one answer, once it is certain that all went well. */
const onlyAnswer =
  (answers: (request: unknown, options?: CallOptions) => AsyncIterable<unknown>): Call =>
  async (...call) => {
    let only: unknown;
    for await (const answer of answers(...call)) only = answer;
    return only;
  };

/** Makes of a message its bytes, or the other way round; what cannot be is our own mistake. */
function converted<T>(convert: () => T): T {
  try {
    return convert();
  } catch (cause) {
    throw new DomainError({ kind: 'internal', cause });
  }
}

interface OneCall {
  message: Buffer;
  metadata: Metadata;
  deadline: number;
  signals: readonly AbortSignal[];
}

function callOnce(
  channel: ServiceChannel,
  path: string,
  { message, metadata, deadline, signals }: OneCall,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    for (const signal of signals) signal.throwIfAborted();
    const cancel = channel.call(path, message, headersOf(metadata), deadline, (error, answer) => {
      for (const signal of signals) signal.removeEventListener('abort', cancel);
      if (error) reject(error);
      else resolve(answer);
    });
    for (const signal of signals) signal.addEventListener('abort', cancel);
  });
}

const headersOf = (metadata: Metadata): string[] =>
  Object.entries(metadata.toHttp2Headers()).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value) => [name, String(value)]),
  );

function failureOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isServiceError(error)) return errorFromStatus(error);
  // A signal that was aborted before the call began.
  return cancelled({ cause: error });
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'metadata' in error && error.metadata instanceof Metadata;

/** Milliseconds since 1970. Throws when there is no time left, for then the call is in vain. */
function deadlineFor({ context, timeoutMs }: CallOptions, defaultTimeoutMs: number): number {
  const now = Date.now();
  const ours = now + (timeoutMs ?? defaultTimeoutMs);
  const theirs = context?.deadline ? context.deadline.getTime() - ANSWER_MARGIN_MS : Infinity;
  if (theirs <= now) throw deadlineExceeded();
  return Math.min(ours, theirs);
}

function callerFor({ caller, context }: CallOptions, service: string): Caller {
  if (caller === undefined) return context?.caller ?? { kind: 'service', service, scopes: [] };
  return 'kind' in caller ? caller : { kind: 'service', service, organisationId: caller.organisationId, scopes: [] };
}

const signalsOf = ({ context, signal }: CallOptions): readonly AbortSignal[] =>
  [context?.signal, signal].filter((each) => each !== undefined);
