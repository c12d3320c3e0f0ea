import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { httpErrors } from '../errors.ts';
import { answerProblemAndLinger } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { MALFORMED_REQUEST, problem, type Problem } from '../exchange/problem.ts';
import { openContext } from '../policies/request-context.ts';

/** Node's HTTP server keeps the answer being written on its connection. */
type Connection = Socket & { readonly _httpMessage?: ServerResponse | null };

/**
 * Refuses what Node takes for a request although another program on its way could take it for something else: headers
 * that can have one value only and come twice, of which Node would keep one; a body whose end is not certain; no host.
 * The connection ends with it, and nothing that follows on it is carried out (RFC 9112, 9.6).
 */
export function refuseAmbiguousRequests(
  listener: RequestListener,
  exchangeOf: (request: IncomingMessage, response: ServerResponse) => Exchange,
): RequestListener {
  return (request, response) => {
    if (isClosing(request.socket, response)) return;
    const refusal = refusalOf(request);
    if (!refusal) {
      listener(request, response);
      return;
    }
    const exchange = exchangeOf(request, response);
    openContext(exchange);
    answerProblemAndLinger(exchange, refusal);
  };
}

/** Whether an earlier answer on the connection said that it is the last one. */
function isClosing(connection: Connection, response: ServerResponse): boolean {
  const { _httpMessage: earlier, writableEnded } = connection;
  return writableEnded || (earlier?.headersSent === true && earlier !== response && !earlier.shouldKeepAlive);
}

function refusalOf(request: IncomingMessage): Problem | undefined {
  const { headers, rawHeaders, httpVersionMajor, httpVersionMinor } = request;
  const { 'transfer-encoding': encoding, expect, host } = headers;
  if (httpVersionMajor !== 1) return MALFORMED_REQUEST;
  if (encoding !== undefined && (httpVersionMinor === 0 || encoding.toLowerCase() !== 'chunked')) {
    return MALFORMED_REQUEST;
  }
  // Node makes one of several headers with the same name, so only then are there fewer of them.
  if (Object.keys(headers).length * 2 < rawHeaders.length) {
    const name = repeatedOf(rawHeaders);
    if (name !== undefined) return duplicateHeader(name);
  }
  if (httpVersionMinor === 0) return undefined;
  if (host === undefined) return problem(400, MALFORMED_REQUEST.code, 'The header Host is missing.');
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return problem(...httpErrors.expectationFailed);
  }
  return undefined;
}

const duplicateHeader = (name: string): Problem => {
  const [status, code, text] = httpErrors.duplicateHeader;
  return problem(status, code, text.replace('{name}', name));
};

/** Headers that say who is asking, what for, and where the request ends: two answers to that are none. */
const SINGLE: ReadonlyMap<string, string> = new Map(
  [
    'Api-key',
    'Authorization',
    'Content-Length',
    'Content-Type',
    'Expect',
    'Host',
    'Idempotency-Key',
    'Stripe-Signature',
    'Transfer-Encoding',
    'X-Organisation-Id',
  ].map((name) => [name.toLowerCase(), name]),
);

function repeatedOf(rawHeaders: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = SINGLE.get((rawHeaders[at] ?? '').toLowerCase());
    if (name === undefined) continue;
    if (seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}
