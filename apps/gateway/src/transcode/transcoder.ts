import { Metadata } from '@grpc/grpc-js';
import type { Route } from '@platform/contract/http';
import { unavailable } from '@platform/core';
import { CALLER_ASSERTION, REQUEST_ID } from '@platform/grpc';
import { answer, answerEmpty, answerProblem } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { JSON_TYPE, refusedInput } from '../exchange/problem.ts';
import type { Fail } from '../pipeline/policy.ts';
import { pageHeaders } from './page-headers.ts';
import type { ServiceChannel } from './service-channel.ts';

export interface TranscoderOptions {
  readonly channelOf: (domain: string) => ServiceChannel | undefined;
  readonly fail: Fail;
  readonly deadlineMs: number;
}

/**
 * Makes one gRPC call of one HTTP request, and one HTTP answer of what comes back. This function and
 * what it calls is the hot path, all of it: it moves bytes, no message ever becomes an object here,
 * and nothing is looked up that could be known at start.
 */
export function transcoder({ channelOf, fail, deadlineMs }: TranscoderOptions) {
  const call = (exchange: Exchange, route: Route, body: Buffer | undefined): void => {
    const { request, target } = exchange;
    const parsed = route.parse({
      pathParameters: target.pathParameters,
      rawQuery: target.rawQuery,
      headers: request.headers,
      body,
    });
    if (!parsed.ok) {
      answerProblem(exchange, refusedInput(parsed.status, parsed.detail));
      return;
    }
    const { domain, grpcPath } = route.operation;
    const channel = channelOf(domain);
    if (!channel) throw unavailable(new Error(`no address is configured for the service ${domain}`));
    exchange.cancel = channel.call(grpcPath, parsed.message, metadataOf(exchange), deadlineMs, (error, message) => {
      if (!exchange.open) return;
      if (error) fail(exchange, error);
      else safely(exchange, () => answerMessage(exchange, route, message));
    });
  };

  /** A callback of a socket runs outside of every policy, where a throw would end the process. */
  const safely = (exchange: Exchange, work: () => void): void => {
    try {
      work();
    } catch (error) {
      fail(exchange, error);
    }
  };

  return (exchange: Exchange, route: Route, body: Buffer | undefined): void =>
    safely(exchange, () => call(exchange, route, body));
}

function metadataOf(exchange: Exchange): Metadata {
  const metadata = new Metadata();
  metadata.set(CALLER_ASSERTION, exchange.assertion);
  metadata.set(REQUEST_ID, exchange.requestId);
  if (exchange.traceParent !== undefined) metadata.set('traceparent', exchange.traceParent);
  return metadata;
}

function answerMessage(exchange: Exchange, route: Route, message: Buffer): void {
  const { body, nextCursor, totalCount } = route.render(message);
  const { status, contentType = JSON_TYPE } = route.http;
  if (body === undefined) answerEmpty(exchange, status);
  else answer(exchange, status, contentType, body, pageHeaders(exchange.target, nextCursor, totalCount));
}
