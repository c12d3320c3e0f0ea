import type { StatusObject } from '@grpc/grpc-js';
import type { Operation } from '@platform-backend/contract';
import type { RequestParts, Route } from '@platform-backend/contract/http';
import { busy, DomainError, unavailable } from '@platform-backend/core';
import {
  CALLER_ASSERTION,
  errorFromStatus,
  IDEMPOTENCY_KEY,
  IF_MATCH,
  IF_NONE_MATCH,
  REQUEST_ID,
  type ServiceChannel,
  type ServiceStream,
} from '@platform-backend/grpc';
import { answerBytes, answerEmpty, answerProblem } from '../exchange/answer.ts';
import { isKnown, quoted, statesNotToMatch, statesToMatch } from '../exchange/entity-tag.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { JSON_TYPE, PRECONDITION_UNSUPPORTED, refusedInput, UPGRADE_REQUIRED } from '../exchange/problem.ts';
import type { CallOwner, CallSlot, CallSemaphore } from '../limits/call-semaphore.ts';
import type { Fail } from '../pipeline/policy.ts';
import type { BodyMemory } from './body-room.ts';
import type { Holder } from './memory-budget.ts';
import type { OpenStream, OpenStreams } from './open-streams.ts';
import { pageHeaders } from './page-headers.ts';
import { endRequests, type Sink } from './service-stream.ts';
import { streamAnswer } from './stream-answer.ts';
import { readUpload } from './upload.ts';
import { webSocket } from './web-socket.ts';

export interface TranscoderOptions {
  readonly channelOf: (domain: string) => ServiceChannel | undefined;
  /** Slots of the calls with a single answer to the service of a domain. */
  readonly semaphoreOf: (domain: string) => CallSemaphore | undefined;
  readonly fail: Fail;
  /** How long the single answer of an operation is waited for, in milliseconds. */
  readonly deadlineMsOf: (operation: Operation) => number;
  readonly streamDeadlineMs: number;
  readonly streams: OpenStreams;
  readonly holderOf: (exchange: Exchange) => Holder;
  readonly memoryOf: (exchange: Exchange) => BodyMemory;
}

/**
 * Makes one gRPC call of one HTTP request, and one HTTP answer of what comes back. This function and
 * what it calls is the hot path, all of it: it moves bytes, no message ever becomes an object here,
 * and nothing is looked up that could be known at start.
 */
export function transcoder({
  channelOf,
  semaphoreOf,
  fail,
  deadlineMsOf,
  streamDeadlineMs,
  streams,
  holderOf,
  memoryOf,
}: TranscoderOptions) {
  const channelTo = ({ operation: { domain } }: Route): ServiceChannel => {
    const channel = channelOf(domain);
    if (!channel) throw unavailable(new Error(`no address is configured for the service ${domain}`));
    return channel;
  };

  /** The message that a request stands for; undefined when it was refused. */
  const messageOf = (
    exchange: Exchange,
    route: Route,
    body: Pick<RequestParts, 'body' | 'form'>,
  ): Buffer | undefined => {
    const parsed = route.parse(partsOf(exchange, body));
    if (parsed.ok) return parsed.message;
    answerProblem(exchange, refusedInput(parsed.status, parsed.detail));
    return undefined;
  };

  /** A callback of a socket runs outside of every policy, where a throw would end the process. */
  const safely = (exchange: Exchange, work: () => void): void => {
    try {
      work();
    } catch (error) {
      fail(exchange, error);
      exchange.cancel?.();
    }
  };

  const call = (exchange: Exchange, route: Route, message: Buffer, body: Buffer | undefined): void => {
    // Its client may have left while it was found out who it is: nothing would end what is begun now.
    if (!exchange.open) return;
    const { grpcPath } = route.operation;
    const headers = headersOf(exchange);
    const key = route.readIdempotencyKey?.(exchange.request.headers);
    if (key?.ok === false) {
      answerProblem(exchange, refusedInput(key.status, key.detail));
      return;
    }
    if (key?.secret !== undefined) headers.push(IDEMPOTENCY_KEY, key.secret);
    const condition = conditionOf(exchange, route);
    if (isUnjudged(route, condition)) {
      answerProblem(exchange, PRECONDITION_UNSUPPORTED);
      return;
    }
    if (condition && route.operation.changes) {
      const { states, unwanted } = condition;
      if (states !== undefined) headers.push(IF_MATCH, states);
      if (unwanted !== undefined) headers.push(IF_NONE_MATCH, unwanted);
    }
    const deadline = Date.now() + deadlineMsOf(route.operation);
    const channel = channelTo(route);
    // What is large is not kept beside its message, and would not be shown.
    const sent = body && body.length <= MAX_KEPT_BODY ? body : undefined;
    const begin = (slot: CallSlot): void => {
      if (Date.now() >= deadline) throw busy({ cause: new Error('its turn came too late') });
      const giveUp = channel.call(grpcPath, message, headers, deadline, (error, answered) => {
        slot.end();
        if (!exchange.open) return;
        if (error) fail(exchange, asSent(error, exchange, route, sent));
        else safely(exchange, () => answerMessage(exchange, route, answered));
      });
      exchange.cancel = () => {
        giveUp();
        slot.end();
      };
    };
    exchange.cancel = () => waiting?.end();
    const waiting = semaphoreOf(route.operation.domain)?.take(ownerOf(exchange), (slot) => {
      exchange.cancel = () => slot.end();
      // Where it has waited, in somebody else's callback.
      safely(exchange, () => begin(slot));
    });
  };

  /** In whose name it calls. */
  const ownerOf = (exchange: Exchange): CallOwner => {
    const { caller } = exchange;
    const credential = caller?.apiKeyId ?? caller?.userId;
    if (credential !== undefined) return { organisation: caller?.organisationId ?? credential, credential };
    const { caller: anonymous } = holderOf(exchange);
    return { organisation: anonymous, credential: anonymous };
  };

  /** Begins a call with streams and sends its first message. `begun` sends what follows and says what becomes of answers. */
  const stream = (
    exchange: Exchange,
    route: Route,
    first: Buffer,
    begun: (call: ServiceStream, open: OpenStream) => Sink,
  ): void => {
    if (!exchange.open) return;
    if (isUnjudged(route, conditionOf(exchange, route))) {
      answerProblem(exchange, PRECONDITION_UNSUPPORTED);
      return;
    }
    const open = streams.open(exchange, holderOf(exchange));
    if (!open) return;
    const deadline = Date.now() + streamDeadlineMs;
    channelTo(route)
      .streams(deadline)
      .then((beginStream) => {
        const call = beginStream(route.operation.grpcPath, headersOf(exchange));
        let failure: StatusObject | undefined;
        call.on('error', (ending) => (failure = ending));
        exchange.cancel = () => call.cancel();
        if (!exchange.open) call.cancel();
        safely(exchange, () => {
          call.write(first);
          const sink = begun(call, open);
          call.on('data', (bytes) => safely(exchange, () => sink.message(bytes)));
          // An error is known as soon as it is there, and told behind everything that came before it.
          call.on('end', () => {
            if (!exchange.open) return;
            if (failure) fail(exchange, errorFromStatus(failure));
            else safely(exchange, () => sink.end());
          });
        });
      })
      .catch((error: unknown) => fail(exchange, error));
  };

  return {
    /** Answers a request whose body is here. */
    answer: (exchange: Exchange, matched: Route, body: Buffer | undefined): void =>
      safely(exchange, () => {
        const message = messageOf(exchange, matched, { body });
        if (!message) return;
        const route = matched.asksForEvents?.(message) ? (matched.asEvents ?? matched) : matched;
        const { stream: streamed } = route;
        if (!streamed || streamed.kind === 'channel') {
          call(exchange, route, message, body);
          return;
        }
        stream(exchange, route, message, (begun, open) => {
          if (streamed.kind === 'upload') {
            endRequests(begun);
            return wholeAnswer(exchange, route);
          }
          begun.end();
          return streamAnswer(exchange, route, streamed, begun, open);
        });
      }),

    /** Turns the connection of a request into a WebSocket. */
    connect: (exchange: Exchange, route: Route, channel: Parameters<typeof webSocket>[1]): void =>
      safely(exchange, () => {
        if (!exchange.upgrade) answerProblem(exchange, UPGRADE_REQUIRED);
        else {
          const message = messageOf(exchange, route, { body: undefined });
          if (message) stream(exchange, route, message, (...begun) => webSocket(exchange, channel, ...begun));
        }
      }),

    /** Answers a request whose body is handed on while it comes. */
    receive: (exchange: Exchange, route: Route, upload: Parameters<typeof readUpload>[1]): void =>
      readUpload(exchange, upload, memoryOf(exchange), ({ form, send }) =>
        safely(exchange, () => {
          const message = messageOf(exchange, route, { body: undefined, ...(form && { form }) });
          if (!message) return;
          stream(exchange, route, message, (begun, open) => {
            send(begun, open);
            return wholeAnswer(exchange, route);
          });
        }),
      ),
  };
}

const NOTHING = Buffer.alloc(0);

/** In bytes. */
const MAX_KEPT_BODY = 64 * 1024;

function partsOf({ request, target }: Exchange, body: Pick<RequestParts, 'body' | 'form'>): RequestParts {
  const { pathParameters, rawQuery } = target;
  // A range is a part of what GET answers, and of nothing else (RFC 9110, 14.2).
  const headers = request.method === 'HEAD' ? { ...request.headers, range: undefined } : request.headers;
  return { pathParameters, rawQuery, headers, ...body };
}

/** A service has read a message; whoever sent the request knows what was in that. */
function asSent(error: Error, exchange: Exchange, { parse }: Route, body: Buffer | undefined): Error {
  if (!(error instanceof DomainError) || !error.violations) return error;
  const { violations, kind, code, message, cause } = error;
  const told = parse.asSent(partsOf(exchange, { body }), violations);
  return new DomainError({ kind, code, message, violations: told, cause });
}

interface Condition {
  readonly states: string | undefined;
  readonly unwanted: string | undefined;
}

/** The states that a change is to find, and those that it is not to find; reading has no use for any. */
function conditionOf({ request: { headers } }: Exchange, { http }: Route): Condition | undefined {
  if (http.verb === 'GET') return undefined;
  const { 'if-match': wanted, 'if-none-match': unwanted } = headers;
  if (wanted === undefined && unwanted === undefined) return undefined;
  return { states: statesToMatch(wanted), unwanted: statesNotToMatch(unwanted) };
}

/**
 * Whether nobody would compare them: to pass over the condition is the accident that it is to prevent. What has no tags is in none of the
 * states that tags name.
 */
const isUnjudged = ({ operation }: Route, condition: Condition | undefined): boolean =>
  condition !== undefined &&
  !operation.changes &&
  ((condition.states !== undefined && condition.states !== '*') || condition.unwanted === '*');

/** The metadata of a call, flat. */
function headersOf({ assertion, requestId, traceParent }: Exchange): string[] {
  const headers = [CALLER_ASSERTION, assertion, REQUEST_ID, requestId];
  if (traceParent !== undefined) headers.push('traceparent', traceParent);
  return headers;
}

/** The one message that answers a stream of them. */
function wholeAnswer(exchange: Exchange, route: Route): Sink {
  let answered: Buffer = NOTHING;
  return {
    message: (bytes) => (answered = bytes),
    end: () => answerMessage(exchange, route, answered),
  };
}

function answerMessage(exchange: Exchange, route: Route, message: Buffer): void {
  const tag = route.entityTag && quoted(route.entityTag(message));
  const isRead = route.http.verb === 'GET';
  if (tag !== undefined && isRead && isKnown(exchange, tag)) {
    answerEmpty(exchange, 304, ['ETag', tag, ...REVALIDATED]);
    return;
  }
  const rendered = route.render(message);
  const { body, nextCursor, totalCount } = rendered;
  const { status } = route.http;
  const contentType = rendered.contentType ?? route.http.contentType ?? JSON_TYPE;
  if (body === undefined) answerEmpty(exchange, status);
  else if (tag !== undefined)
    answerBytes(exchange, status, contentType, body, ['ETag', tag, ...(isRead ? REVALIDATED : [])]);
  else if (route.location) answerBytes(exchange, status, contentType, body, ['Location', route.location(message)]);
  else answerBytes(exchange, status, contentType, body, pageHeaders(exchange.target, nextCursor, totalCount));
}

/** It is one caller's, and may be changed at any time: who keeps it asks whether it still is so. */
const REVALIDATED = ['Cache-Control', 'private, no-cache'] as const;
