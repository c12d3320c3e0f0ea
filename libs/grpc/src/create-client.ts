import { Metadata, status, type Client, type MethodDefinition, type ServiceError } from '@grpc/grpc-js';
import type { Caller, CallerAssertions } from '@platform/auth';
import { deadlineExceeded, DomainError, newId } from '@platform/core';
import type { CallContext } from './call-context.ts';
import type { CallObserver } from './call-observer.ts';
import { CONNECT_LIMIT_MS, connectionSettled, isConnected, openChannel } from './channel.ts';
import type { GrpcContract } from './contract.ts';
import { ERROR_TABLE } from './error-table.ts';
import { errorFromStatus } from './error-status.ts';
import { CALLER_ASSERTION, REQUEST_ID } from './metadata-names.ts';
import type { TlsFiles } from './tls.ts';
import { endSpan, inClientSpan } from './tracing.ts';

const DEFAULT_TIMEOUT_MS = 10_000;
/** Kept back from a caller's deadline, so that our answer about a late callee still arrives in time. */
const MARGIN_MS = 50;

export interface CallOptions {
  /** The call being served: its caller, request id, deadline and cancellation are handed on. */
  context?: CallContext | undefined;
  /**
   * For whom the call is made. A caller: on its behalf. `'service'`: on our own authority, for the
   * organisation and user of the context. Unless given: the context's caller, or else ourselves.
   */
  caller?: Caller | 'service' | undefined;
  /** Longest wait, in milliseconds; the context's deadline may make it shorter. */
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
  /** When there is no context. */
  requestId?: string | undefined;
}

export interface ClientOptions {
  contract: GrpcContract;
  /** `platform.identity.v1.ClientGroupService` */
  service: string;
  /** `host:port` */
  address: string;
  assertions: CallerAssertions;
  tls?: TlsFiles | undefined;
  timeoutMs?: number;
  /** How long a connection may take to be made before the service counts as down; 1.5 s unless given. */
  connectLimitMs?: number;
  onCall?: CallObserver | undefined;
}

export interface Closable {
  /** Ends the connection; calls in flight end as `unavailable`. */
  close(): void;
}

type Call = (request: unknown, options?: CallOptions) => Promise<unknown>;

/**
 * A typed client of one service: one function per rpc in camelCase, each rejecting with the
 * DomainError that the service threw. A service that cannot be reached is `unavailable` within 2 s.
 * `T` is the generated `<Service>Client` type.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- only the caller knows the generated type
export function createClient<T extends object>(options: ClientOptions): T & Closable {
  const { contract, service, address, assertions, tls, connectLimitMs = CONNECT_LIMIT_MS, onCall } = options;
  const client = openChannel(address, tls);
  const calls: Record<string, Call | Closable['close']> = { close: () => client.close() };

  for (const [method, rpc] of Object.entries(contract.serviceDefinition(service))) {
    calls[method.charAt(0).toLowerCase() + method.slice(1)] = async (request, callOptions = {}) => {
      const startedAt = performance.now();
      const deadline = deadlineFor(callOptions, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const metadata = new Metadata();
      metadata.set(REQUEST_ID, callOptions.context?.requestId ?? callOptions.requestId ?? newId());
      metadata.set(CALLER_ASSERTION, await assertions.issue(callerFor(callOptions, assertions.service)));

      return inClientSpan(rpc.path, metadata, async (span) => {
        let code = status.OK;
        try {
          if (!isConnected(client.getChannel())) {
            await connectionSettled(client.getChannel(), Math.min(connectLimitMs, deadline - Date.now()));
          }
          return await callOnce(client, rpc, {
            request: request ?? {},
            metadata,
            deadline,
            signals: signalsOf(callOptions),
          });
        } catch (error) {
          const failure = failureOf(error);
          code = ERROR_TABLE[failure.kind].grpcStatus;
          throw failure;
        } finally {
          endSpan(span, code);
          onCall?.({ method: rpc.path, code, durationMs: performance.now() - startedAt });
        }
      });
    };
  }
  return calls as T & Closable;
}

interface OneCall {
  request: unknown;
  metadata: Metadata;
  deadline: number;
  signals: readonly AbortSignal[];
}

function callOnce(
  client: Client,
  rpc: MethodDefinition<unknown, unknown>,
  { request, metadata, deadline, signals }: OneCall,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    for (const signal of signals) signal.throwIfAborted();
    const call = client.makeUnaryRequest(
      rpc.path,
      rpc.requestSerialize,
      rpc.responseDeserialize,
      request,
      metadata,
      { deadline },
      (error, answer) => {
        for (const signal of signals) signal.removeEventListener('abort', cancel);
        if (error) reject(error);
        else resolve(answer);
      },
    );
    const cancel = (): void => call.cancel();
    for (const signal of signals) signal.addEventListener('abort', cancel);
  });
}

function failureOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  if (isServiceError(error)) return errorFromStatus(error);
  // A signal that was aborted before the call began.
  return new DomainError({ kind: 'unavailable', code: 'cancelled', cause: error });
}

const isServiceError = (error: unknown): error is ServiceError =>
  error instanceof Error && 'metadata' in error && error.metadata instanceof Metadata;

/** Milliseconds since 1970. Throws when there is no time left, for then the call is in vain. */
function deadlineFor({ context, timeoutMs }: CallOptions, usualTimeoutMs: number): number {
  const now = Date.now();
  const ours = now + (timeoutMs ?? usualTimeoutMs);
  const theirs = context?.deadline ? context.deadline.getTime() - MARGIN_MS : Infinity;
  if (theirs <= now) throw deadlineExceeded();
  return Math.min(ours, theirs);
}

function callerFor({ caller, context }: CallOptions, service: string): Caller {
  if (caller === undefined) return context?.caller ?? { kind: 'service', service, scopes: [] };
  if (caller !== 'service') return caller;
  const { organisationId, userId } = context?.caller ?? {};
  return {
    kind: 'service',
    service,
    ...(organisationId !== undefined && { organisationId }),
    ...(userId !== undefined && { userId }),
    scopes: [],
  };
}

const signalsOf = ({ context, signal }: CallOptions): readonly AbortSignal[] =>
  [context?.signal, signal].filter((each) => each !== undefined);
