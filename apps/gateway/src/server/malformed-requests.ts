import { apiVersion } from '@platform-backend/contract/http';
import { newId, type Logger } from '@platform-backend/core';
import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { httpErrors } from '../errors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { MALFORMED_REQUEST, problem, renderProblem, type Problem } from '../exchange/problem.ts';

/** What Node's HTTP server keeps on a connection: the answer being written. */
interface Answering {
  destroySoon(): void;
  readonly _httpMessage?: ServerResponse | null;
}

/**
 * Answers what Node's HTTP parser refuses, which no request listener ever sees: bytes that are not
 * HTTP, headers beyond the limit, a client slower than the timeouts. The connection ends with it.
 */
export function answerMalformedRequests(
  server: Server,
  logger: Logger,
  exchangeOf: (request: IncomingMessage, response: ServerResponse) => Exchange,
): void {
  // Without a listener Node would cut the connection without a word.
  server.on('connect', (_request, connection) => {
    // Node does not listen any more, and a client that breaks off is no failure of ours.
    connection.on('error', () => undefined);
    connection.end(rawAnswer(MALFORMED_REQUEST), () => connection.destroy());
  });
  server.on('clientError', (error: Error & { code?: string }, connection) => {
    const answering = connection as unknown as Answering;
    const response = answering._httpMessage;
    // The time that a request has is not that of an upload, which may wait for the service.
    if (isTimeout(error) && response && exchangeOf(response.req, response).isStream) return;
    const refusal = refusalOf(error.code);
    logger.debug({ code: error.code, status: refusal.status }, 'refused what is not a readable request');

    if (response?.req.complete) {
      // What follows a whole request is broken; the request itself still gets its answer.
      response.shouldKeepAlive = false;
      response.once('close', () => answering.destroySoon());
    } else if (response?.headersSent === true && !response.shouldKeepAlive) {
      // It was refused already; what was to be thrown away of it is broken as well.
      response.end();
    } else if (connection.writable && response?.headersSent !== true) {
      connection.end(rawAnswer(refusal));
    } else {
      // A second answer inside a first one would be read as part of it.
      connection.destroy();
    }
  });
}

const isTimeout = ({ code }: { code?: string }): boolean => code === 'ERR_HTTP_REQUEST_TIMEOUT';

function refusalOf(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return problem(...httpErrors.headersTooLarge);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return problem(...httpErrors.requestTimeout);
  return MALFORMED_REQUEST;
}

function rawAnswer(refusal: Problem): string {
  const requestId = newId();
  const { contentType, body } = renderProblem(refusal, undefined, requestId);
  return [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    `X-Api-Version: ${apiVersion}`,
    `X-Error-Code: ${refusal.code}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
