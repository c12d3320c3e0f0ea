import { Metadata, status, type handleUnaryCall, type ServerUnaryCall, type StatusObject } from '@grpc/grpc-js';
import { MISSING_CALLER_ASSERTION, type AssertionVerifier, type Caller } from '@platform/auth';
import {
  deadlineExceeded,
  DEFAULT_ERROR_TEXT,
  DomainError,
  invalid,
  isRequestId,
  malformed,
  newId,
  unauthenticated,
  withCallerSignal,
  type Logger,
  type Violation,
} from '@platform/core';
import { callContext, type CallContext } from './call-context.ts';
import type { CallObserver } from './call-observer.ts';
import type { ServedOperation } from './contract.ts';
import { statusFromError } from './error-status.ts';
import { LARGEST_MESSAGE } from './message-size.ts';
import { CALLER_ASSERTION, REQUEST_ID } from './metadata-names.ts';
import { refusalOf } from './permission.ts';
import { endSpan, inServerSpan } from './tracing.ts';

export type Handler = (request: unknown, context: CallContext) => unknown;

export interface UnaryOperation {
  operation: ServedOperation;
  handler: Handler;
  decode: (bytes: Buffer) => object;
  check: (request: object, bytes: number) => readonly Violation[];
  encode: (answer: Readonly<Record<string, unknown>>) => Promise<Buffer>;
}

export interface UnaryEnvironment {
  verifier: AssertionVerifier;
  logger: Logger;
  accessLog: Logger;
  onCall: CallObserver | undefined;
  /** Called when a call begins; the function it returns when the call has ended. */
  track: () => () => void;
}

/** What has become known of a call; filled step by step, so that a refused call is logged with as much as is known. */
interface CallRecord {
  requestId: string;
  caller?: Caller;
}

/**
 * Turns a handler into a gRPC method: checks the deadline, the caller assertion, the permission and the request,
 * runs the handler, and is the only place where an error becomes a status. Messages arrive and leave
 * as bytes, so that a message that cannot be read or written is an error like any other.
 */
export function unary(
  { operation, handler, decode, check, encode }: UnaryOperation,
  { verifier, logger, accessLog, onCall, track }: UnaryEnvironment,
): handleUnaryCall<Buffer, Buffer> {
  const answer = async (call: ServerUnaryCall<Buffer, Buffer>, record: CallRecord): Promise<Buffer> => {
    const deadline = deadlineOf(call);
    if (deadline && deadline.getTime() <= Date.now()) throw deadlineExceeded();

    record.caller = await verifier.verify(assertionOf(call.metadata));
    const refusal = refusalOf(record.caller, operation);
    if (refusal) throw refusal;

    const { caller, requestId } = record;
    const request = decodeRequest(decode, call.request);
    const violations = check(request, call.request.length);
    if (violations.length > 0) throw invalid(violations);
    const { signal, release } = cancellationOf(call);
    try {
      const context = callContext({ caller, requestId, deadline, signal, logger });
      const answered = await withCallerSignal(signal, () => handler(request, context));
      return sendable(await encode((answered ?? {}) as Readonly<Record<string, unknown>>));
    } finally {
      release();
    }
  };

  return (call, respond) => {
    const startedAt = performance.now();
    const finished = track();
    const record: CallRecord = { requestId: requestIdOf(call.metadata) };

    inServerSpan(operation.grpcPath, call.metadata, async (span) => {
      let failure: Failure | undefined;
      try {
        const bytes = await answer(call, record);
        respond(null, bytes);
      } catch (error) {
        failure = failureOf(error, call);
        respond(failure.status);
      }
      const durationMs = performance.now() - startedAt;
      const code = failure?.status.code ?? status.OK;
      finished();
      endSpan(span, code);
      onCall?.({ method: operation.grpcPath, code, durationMs });
      writeCallLine({ logger, accessLog }, { method: operation.grpcPath, code, durationMs, ...record }, failure);
    }).catch((error: unknown) => {
      // There is nobody behind this one, and what it threw would end the process.
      logger.error({ err: error, method: operation.grpcPath }, 'a call did not end well');
    });
  };
}

interface Failure {
  status: StatusObject;
  level: 'info' | 'warn' | 'error';
  /** What the log may know and the caller may not. */
  cause?: unknown;
}

/** Whatever was thrown, even what cannot be looked at or does not fit into trailers. */
function failureOf(error: unknown, call: ServerUnaryCall<Buffer, Buffer>): Failure {
  try {
    return describeFailure(error, call);
  } catch (second) {
    return unexpected(new AggregateError([error, second], 'an error that cannot be told'));
  }
}

function describeFailure(error: unknown, call: ServerUnaryCall<Buffer, Buffer>): Failure {
  // The caller is gone and whatever broke afterwards broke because of that.
  if (call.cancelled) {
    const expired = (deadlineOf(call)?.getTime() ?? Infinity) <= Date.now();
    const code = expired ? status.DEADLINE_EXCEEDED : status.CANCELLED;
    return { status: { code, details: 'Cancelled', metadata: new Metadata() }, level: 'info' };
  }
  if (error instanceof DomainError && error.kind !== 'internal') {
    const level = error.kind === 'unavailable' || error.kind === 'upstream_failed' ? 'warn' : 'info';
    return { status: statusFromError(error), level, cause: error.cause };
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
  { logger, accessLog }: { logger: Logger; accessLog: Logger },
  { method, code, durationMs, requestId, caller }: CallRecord & { method: string; code: status; durationMs: number },
  failure: Failure | undefined,
): void {
  const log = failure?.cause === undefined ? accessLog : logger;
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

function decodeRequest(decode: UnaryOperation['decode'], bytes: Buffer): object {
  try {
    return decode(bytes);
  } catch (cause) {
    throw malformed('unreadable_message', 'The request message cannot be read', cause);
  }
}

/** grpc-js would refuse it as well, but only after the call was logged as a success. */
function sendable(answer: Buffer): Buffer {
  if (answer.length <= LARGEST_MESSAGE) return answer;
  throw new Error(`The answer has ${answer.length} bytes, and a message may have ${LARGEST_MESSAGE}.`);
}

function assertionOf(metadata: Metadata): string {
  const [assertion] = metadata.get(CALLER_ASSERTION);
  if (typeof assertion !== 'string' || assertion === '') throw unauthenticated(MISSING_CALLER_ASSERTION);
  return assertion;
}

/** An id that could be anything is replaced by one of ours: it would stand in every log. */
function requestIdOf(metadata: Metadata): string {
  const [id] = metadata.get(REQUEST_ID);
  return typeof id === 'string' && isRequestId(id) ? id : newId();
}

function deadlineOf(call: ServerUnaryCall<Buffer, Buffer>): Date | undefined {
  const deadline = call.getDeadline();
  if (deadline instanceof Date) return deadline;
  return Number.isFinite(deadline) ? new Date(deadline) : undefined;
}

/**
 * grpc-js says "cancelled" when the caller hangs up, when the deadline passes, and once more after
 * every call; `release` is for after the answer, which must not abort what the handler started.
 */
function cancellationOf(call: ServerUnaryCall<Buffer, Buffer>): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const abort = (): void => controller.abort(new DomainError({ kind: 'deadline_exceeded', code: 'caller_gone' }));
  if (call.cancelled) abort();
  else call.once('cancelled', abort);
  return { signal: controller.signal, release: () => void call.off('cancelled', abort) };
}
