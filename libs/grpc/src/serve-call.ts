import {
  Metadata,
  status,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
  type StatusObject,
} from '@grpc/grpc-js';
import type { Span } from '@opentelemetry/api';
import { missingCallerAssertion, type AssertionVerifier, type Caller } from '@platform-backend/auth';
import {
  deadlineExceeded,
  DEFAULT_ERROR_TEXT,
  DomainError,
  exhaustionOf,
  inRequest,
  invalid,
  isRequestId,
  newId,
  withCaller,
  type IdempotencyStore,
  type Logger,
  type Violation,
} from '@platform-backend/core';
import type { AccessLog } from '@platform-backend/core/access-log';
import { once } from 'node:events';
import { callContext, type CallContext } from './call-context.ts';
import type { CallObserver } from './call-observer.ts';
import { executeIfMatching, type Condition, type ReadOfChange } from './conditional-call.ts';
import type { ServedOperation } from './contract.ts';
import { isToldByService, statusFromError } from './error-status.ts';
import { callerGone, unreadableMessage } from './errors.ts';
import { executeOnce, type IdempotentRequest } from './idempotent-call.ts';
import { MAX_MESSAGE_BYTES } from './message-size.ts';
import { CALLER_ASSERTION, IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, REQUEST_ID } from './metadata-names.ts';
import { GATEWAY, refusalOf } from './permission.ts';
import { endSpan, inServerSpan } from './tracing.ts';
import { untilAborted } from './until-aborted.ts';

/**
 * Answers a call, as the contract has it: the request is a message or a stream of them, and so is the answer, which is
 * a promise for one message.
 */
export type Handler = (request: unknown, context: CallContext) => unknown;

export interface HandledOperation {
  operation: ServedOperation;
  requestStream: boolean;
  responseStream: boolean;
  handler: Handler;
  decode: (bytes: Buffer) => object;
  /** Makes the check of one call's requests. */
  newCheck: () => RequestCheck;
  encode: (answer: Message) => Promise<Buffer>;
  /** Of an operation that changes a thing: the one that reads it, as it is served. */
  read?: HandledRead | undefined;
}

export interface HandledRead extends Omit<ReadOfChange, 'answer'> {
  readonly operation: HandledOperation;
}

export type RequestCheck = (request: object, bytes: number) => readonly Violation[];

type Message = Readonly<Record<string, unknown>>;

export interface CallEnvironment {
  verifier: AssertionVerifier;
  logger: Logger;
  accessLog: AccessLog;
  onCall: CallObserver | undefined;
  /** Where calls with an Idempotency-Key are noted; without it no key counts. */
  idempotencyStore: IdempotencyStore | undefined;
  /** Called when a call begins; the function it returns when the call has ended. A stream can be ended before its time. */
  track: (end?: (reason: DomainError) => void) => () => void;
}

/** A call of any kind, with messages as bytes. What only some kinds have is used for those alone. */
type ServedCall = ServerUnaryCall<Buffer, Buffer> &
  ServerReadableStream<Buffer, Buffer> &
  ServerWritableStream<Buffer, Buffer> &
  ServerDuplexStream<Buffer, Buffer>;

/** What has become known of a call; filled step by step, so that a refused call is logged with as much as is known. */
interface CallRecord {
  requestId: string;
  caller?: Caller;
}

/**
 * Turns a handler into a gRPC method: checks the deadline, the caller assertion, the permission and the requests,
 * runs the handler, and is the only place where an error becomes a status. Messages arrive and leave
 * as bytes, so that a message that cannot be read or written is an error like any other. Of a stream the next message
 * is asked for when the one before has found room, either way, so that nothing piles up between a fast side and a slow one.
 */
export function servedCall(
  { operation, requestStream, responseStream, handler, decode, newCheck, encode, read }: HandledOperation,
  { verifier, logger, accessLog, onCall, idempotencyStore, track }: CallEnvironment,
): (call: ServedCall, respond?: sendUnaryData<Buffer>) => void {
  /** Sends what the handler streams; of a single answer it gives the bytes. */
  const answer = async (
    call: ServedCall,
    record: CallRecord,
    cancellation: Cancellation,
  ): Promise<Buffer | undefined> => {
    const { signal } = cancellation;
    const deadline = deadlineOf(call);
    if (deadline && deadline.getTime() <= Date.now()) throw deadlineExceeded();

    record.caller = await verifier.verify(assertionOf(call.metadata));
    const refusal = refusalOf(record.caller, operation);
    if (refusal) throw refusal;

    const { caller, requestId } = record;
    const check = newCheck();
    const readRequest = (bytes: Buffer): object => {
      const request = decodeRequest(decode, bytes);
      const violations = check(request, bytes.length);
      if (violations.length > 0) throw invalid(violations);
      return request;
    };
    const request = requestStream ? requestsOf(call, readRequest, cancellation) : readRequest(call.request);
    const contextOf = ({ access: { area } }: ServedOperation): CallContext =>
      callContext({ caller, area, requestId, deadline, signal, logger });
    const context = contextOf(operation);
    const answerOnce = async (): Promise<Buffer> =>
      sendable(await encode(((await handler(request, context)) ?? {}) as Message));
    return withCaller(context, async () => {
      if (!responseStream) {
        const keyed = { operation, caller, ...idempotencyKeyOf(call.metadata), message: call.request };
        const execute = () => executeOnce(keyed, { calls: idempotencyStore, logger, execute: answerOnce });
        const condition = conditionOf(call.metadata, caller);
        if (!condition || !read) return execute();
        return executeIfMatching(request, {
          ...condition,
          read: readOf(read, contextOf(read.operation.operation)),
          execute,
        });
      }
      for await (const message of untilAborted(signal, handler(request, context) as AsyncIterable<Message>)) {
        if (!call.write(sendable(await encode(message)))) await once(call, 'drain', { signal });
      }
      const sent = once(call, 'finish', { signal });
      call.end();
      await sent;
      return undefined;
    });
  };

  return (call, respond) => {
    const startedAt = performance.now();
    const cancellation = cancellationOf(call);
    const { signal, abort, release } = cancellation;
    const finished = track(requestStream || responseStream ? abort : undefined);
    const record: CallRecord = { requestId: requestIdOf(call.metadata) };

    const serve = async (span: Span): Promise<void> => {
      let failure: Failure | undefined;
      try {
        const bytes = await answer(call, record, cancellation);
        respond?.(null, bytes);
      } catch (error) {
        failure = failureOf(signal.aborted ? signal.reason : error, call);
        if (respond) respond(failure.status);
        else call.emit('error', failure.status);
      }
      release();
      const durationMs = performance.now() - startedAt;
      const code = failure?.status.code ?? status.OK;
      finished();
      endSpan(span, code);
      onCall?.({ method: operation.grpcPath, code, durationMs });
      writeCallLine({ logger, accessLog }, { method: operation.grpcPath, code, durationMs, ...record }, failure);
    };
    inRequest(record.requestId, () => inServerSpan(operation.grpcPath, call.metadata, serve)).catch(
      (error: unknown) => {
        // There is nobody behind this one, and what it threw would end the process.
        logger.error({ event: 'grpc.call_failed', err: error, method: operation.grpcPath }, 'a call did not end well');
      },
    );
  };
}

/**
 * The requests of a stream, which ends with an empty message. Without one it was broken off: Node ends the stream of
 * whoever cancels a call before it resets it, so that half an upload would be taken for a whole one.
 */
async function* requestsOf(
  call: ServedCall,
  readRequest: (bytes: Buffer) => object,
  { signal, leave }: Cancellation,
): AsyncGenerator<object> {
  // Whoever has read enough still answers on the same call, which would be destroyed.
  const requests = call.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
  for await (const bytes of untilAborted(signal, requests)) {
    if (bytes.length === 0) return;
    yield readRequest(bytes);
  }
  leave();
  signal.throwIfAborted();
}

/** How a call is given up before it is answered. */
interface Cancellation {
  readonly signal: AbortSignal;
  readonly abort: (reason: DomainError) => void;
  /** Nobody waits for the answer any more. */
  readonly leave: () => void;
  readonly release: () => void;
}

interface Failure {
  status: StatusObject;
  level: 'info' | 'warn' | 'error';
  /** What the log may know and the caller may not. */
  cause?: unknown;
}

/** Whatever was thrown, even what cannot be looked at or does not fit into trailers. */
function failureOf(error: unknown, call: ServedCall): Failure {
  try {
    return describeFailure(error, call);
  } catch (second) {
    return unexpected(new AggregateError([error, second], 'an error that cannot be told'));
  }
}

function describeFailure(error: unknown, call: ServedCall): Failure {
  // The caller is gone and whatever broke afterwards broke because of that.
  if (call.cancelled) {
    const expired = (deadlineOf(call)?.getTime() ?? Infinity) <= Date.now();
    const code = expired ? status.DEADLINE_EXCEEDED : status.CANCELLED;
    return { status: { code, details: 'Cancelled', metadata: new Metadata() }, level: 'info' };
  }
  if (error instanceof DomainError && isToldByService(error)) {
    const kept = error.kind === 'internal' ? new DomainError({ kind: 'internal' }) : error;
    return { status: statusFromError(kept), level: 'info' };
  }
  const told = error instanceof DomainError ? error : (exhaustionOf(error) ?? error);
  if (told instanceof DomainError && told.kind !== 'internal') {
    const level = told.kind === 'unavailable' || told.kind === 'upstream_failed' ? 'warn' : 'info';
    return { status: statusFromError(told), level, cause: told.cause };
  }
  return unexpected(error);
}

const unexpected = (cause: unknown): Failure => ({
  status: statusFromError(new DomainError({ kind: 'internal', message: DEFAULT_ERROR_TEXT.internal })),
  level: 'error',
  cause,
});

/**
 * One line for every call, with names and ids and nothing of its content. Only what went wrong is searched for secrets:
 * nobody knows what an error has in it.
 */
function writeCallLine(
  { logger, accessLog }: { logger: Logger; accessLog: AccessLog },
  { method, code, durationMs, requestId, caller }: CallRecord & { method: string; code: status; durationMs: number },
  failure: Failure | undefined,
): void {
  const log: AccessLog = failure?.cause === undefined ? accessLog : logger;
  log[failure?.level ?? 'info'](
    {
      method,
      status: status[code],
      ms: Math.round(durationMs * 100) / 100,
      requestId,
      ...(caller && {
        caller: {
          service: caller.service,
          kind: caller.kind,
          organisationId: caller.organisationId,
          userId: caller.userId,
          apiKeyId: caller.apiKeyId,
        },
      }),
      ...(failure?.cause !== undefined && { err: failure.cause }),
    },
    'call',
  );
}

function decodeRequest(decode: HandledOperation['decode'], bytes: Buffer): object {
  try {
    return decode(bytes);
  } catch (cause) {
    throw unreadableMessage({ cause });
  }
}

/** grpc-js would refuse it as well, but only after the call was logged as a success. */
function sendable(answer: Buffer): Buffer {
  if (answer.length <= MAX_MESSAGE_BYTES) return answer;
  throw new Error(`The answer has ${answer.length} bytes, and a message may have ${MAX_MESSAGE_BYTES}.`);
}

function assertionOf(metadata: Metadata): string {
  const [assertion] = metadata.get(CALLER_ASSERTION);
  if (typeof assertion !== 'string' || assertion === '') throw missingCallerAssertion();
  return assertion;
}

/** What the gateway has made of the key, with each of its own keys. */
function idempotencyKeyOf(metadata: Metadata): Pick<IdempotentRequest, 'secret' | 'otherSecret'> {
  const [key] = metadata.get(IDEMPOTENCY_KEY);
  const [secret = '', otherSecret] = typeof key === 'string' ? key.split(' ') : [];
  return { secret, otherSecret };
}

/** What the gateway has made of the client's If-Match and If-None-Match. */
function conditionOf(metadata: Metadata, { service }: Caller): Condition | undefined {
  if (service !== GATEWAY) return undefined;
  const of = (name: string): string | undefined => metadata.get(name)[0]?.toString();
  const condition = { states: of(IF_MATCH), unwanted: of(IF_NONE_MATCH) };
  return condition.states === undefined && condition.unwanted === undefined ? undefined : condition;
}

/** Asks the handler that reads it, without another call. */
const readOf = (
  { fields, newRequest, stateOf, operation: { handler, newCheck, encode } }: HandledRead,
  context: CallContext,
): ReadOfChange => ({
  fields,
  stateOf,
  newRequest,
  answer: async (request) => {
    const violations = newCheck()(request, 0);
    if (violations.length > 0) throw invalid(violations);
    return encode(((await handler(request, context)) ?? {}) as Message);
  },
});

/** An id that could be anything is replaced by one of ours: it would stand in every log. */
function requestIdOf(metadata: Metadata): string {
  const [id] = metadata.get(REQUEST_ID);
  return typeof id === 'string' && isRequestId(id) ? id : newId();
}

function deadlineOf(call: ServedCall): Date | undefined {
  const deadline = call.getDeadline();
  if (deadline instanceof Date) return deadline;
  return Number.isFinite(deadline) ? new Date(deadline) : undefined;
}

/**
 * grpc-js says "cancelled" when the caller hangs up, when the deadline passes, and once more after
 * every call; `release` is for after the answer, which must not abort what the handler started.
 */
function cancellationOf(call: ServedCall): Cancellation {
  const controller = new AbortController();
  const abort = (reason: DomainError): void => controller.abort(reason);
  const leave = (): void => abort(callerGone());
  if (call.cancelled) leave();
  else call.once('cancelled', leave);
  return { signal: controller.signal, abort, leave, release: () => void call.off('cancelled', leave) };
}
