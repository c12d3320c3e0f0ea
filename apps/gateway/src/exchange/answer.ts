import type { ByteText } from '@platform-backend/contract/http';
import type { Exchange } from './exchange.ts';
import { problemIn, problemOf, renderProblem, type Problem } from './problem.ts';

const NO_HEADERS: readonly string[] = [];

/** Answers with a body; `headers` are flat: name, value, name, value. */
export function answer(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: string | Buffer,
  headers: readonly string[] = NO_HEADERS,
): void {
  if (typeof body !== 'string') answerBytes(exchange, status, contentType, body, headers);
  else if (exchange.open) {
    writeHead(exchange, status, contentType, Buffer.byteLength(body), headers);
    exchange.response.end(exchange.request.method === 'HEAD' ? undefined : body);
  }
}

/** The same with a body that is bytes, also as text. */
export function answerBytes(
  exchange: Exchange,
  status: number,
  contentType: string,
  body: ByteText | Buffer,
  headers: readonly string[] = NO_HEADERS,
): void {
  if (!exchange.open) return;
  const { request, response } = exchange;
  writeHead(exchange, status, contentType, body.length, headers);
  if (request.method === 'HEAD') response.end();
  else if (typeof body === 'string') response.end(body, 'latin1');
  else if (body.length > MAX_IN_ONE_WRITE) response.end(body);
  // Text joins the head in one write to the socket, bytes would need two. Latin-1 keeps every byte.
  else response.end(body.toString('latin1'), 'latin1');
}

/** Copying a body beyond this costs more than a second write. */
const MAX_IN_ONE_WRITE = 16 * 1024;

function writeHead(
  { response, headers: common }: Exchange,
  status: number,
  contentType: string,
  length: number,
  headers: readonly string[],
): void {
  if (headers.length > 0) common.push(...headers);
  common.push('Content-Type', contentType, 'Content-Length', String(length));
  response.writeHead(status, common);
}

/** Answers without a body, such as 204 or 307. */
export function answerEmpty(exchange: Exchange, status: number, headers: readonly string[] = NO_HEADERS): void {
  if (!exchange.open) return;
  const { response } = exchange;
  // A 204 must not have the header, and a 304 would speak of the answer it stands for.
  const length = status === 204 || status === 304 ? NO_HEADERS : ['Content-Length', '0'];
  response.writeHead(status, [...exchange.headers, ...headers, ...length]);
  response.end();
}

/** Answers with a problem, in the one form that every problem has (D20). */
export function answerProblem(exchange: Exchange, found: Problem): void {
  if (!exchange.open) return;
  const problem = problemIn(found, dialectOf(exchange));
  exchange.problemCode = problem.code;
  const { interrupt } = exchange;
  if (interrupt) {
    exchange.interrupt = undefined;
    interrupt(problem);
    return;
  }
  const { contentType, body } = bodyOf(exchange, problem);
  answer(exchange, problem.status, contentType, body, ['X-Error-Code', problem.code, ...problem.headers]);
}

const bodyOf = (exchange: Exchange, problem: Problem) =>
  renderProblem(problem, exchange.request.headers.accept, exchange.requestId, dialectOf(exchange));

const dialectOf = ({ target }: Exchange) => target.route?.http.dialect ?? target.dialect;

/** How much more of a refused body is read and thrown away before the connection is cut. */
export const LINGER_BYTES = 64 * 1024 * 1024;
export const LINGER_MS = 5_000;

/**
 * Answers a request whose body is still coming, and ends its connection. The answer goes out at once,
 * but closing while bytes arrive would reset the connection, and the client might never read why. So
 * the rest is thrown away first, within bounds.
 */
export function answerProblemAndLinger(exchange: Exchange, found: Problem): void {
  if (!exchange.open) return;
  const problem = problemIn(found, dialectOf(exchange));
  exchange.isOver = true;
  exchange.problemCode = problem.code;
  const { request, response } = exchange;
  const { contentType, body } = bodyOf(exchange, problem);
  response.shouldKeepAlive = false;
  writeHead(exchange, problem.status, contentType, Buffer.byteLength(body), [
    'X-Error-Code',
    problem.code,
    ...problem.headers,
  ]);
  response.write(body);

  const limit = setTimeout(() => response.end(), LINGER_MS);
  let discarded = 0;
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > LINGER_BYTES) response.end();
  });
  request.once('end', () => response.end());
  response.once('close', () => clearTimeout(limit));
}

/** Answers with the problem an error stands for. */
export const answerError = (exchange: Exchange, error: unknown): void => answerProblem(exchange, problemOf(error));
