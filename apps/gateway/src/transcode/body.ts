import { heldBodiesLimitReached } from '../errors.ts';
import { answerProblemAndLinger } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { OVERLOADED, problemOf, type Problem } from '../exchange/problem.ts';
import { tooManyRequests } from '../exchange/too-many-requests.ts';
import { GrowingBytes } from './growing-bytes.ts';
import type { Holder, MemoryBudgetLimits, MemoryBudget } from './memory-budget.ts';

export interface BodyLimits {
  /** For this body, in bytes. */
  readonly limitBytes: number;
  /** For all bodies that are held at once, and each holder's share of them. */
  readonly heldLimits: MemoryBudgetLimits;
  readonly held: MemoryBudget;
  readonly holder: Holder;
  /** What a larger one is answered. */
  readonly tooLarge: Problem;
}

/**
 * Reads the body of a request, counting the bytes as they come: Content-Length may lie or be absent.
 * `done` is called once with the whole body, or never: then the request was answered 413, 429 or 503, or its
 * client went away.
 */
export function readBody(
  exchange: Exchange,
  { limitBytes, heldLimits, held, holder, tooLarge }: BodyLimits,
  done: (body: Buffer) => void,
): void {
  const { request, response } = exchange;
  const announced = Number(request.headers['content-length'] ?? limitBytes);
  if (announced > limitBytes) {
    answerProblemAndLinger(exchange, tooLarge);
    return;
  }
  // The client waits for our word before it sends a body that we might refuse anyway.
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();

  let body: GrowingBytes | undefined = new GrowingBytes(announced);
  let taken = 0;
  const giveBack = (): void => {
    held.giveBack(holder, taken);
    taken = 0;
  };

  const refuse = (problem: Problem): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    body = undefined;
    giveBack();
    answerProblemAndLinger(exchange, problem);
  };
  const onData = (chunk: Buffer): void => {
    if (!body) return;
    if (body.length + chunk.length > limitBytes) {
      refuse(tooLarge);
      return;
    }
    const growth = body.growthFor(chunk.length);
    const reached = held.take(holder, growth);
    if (reached) {
      refuse(reached === 'total' ? OVERLOADED : shareUsedUp(exchange, heldLimits[reached]));
      return;
    }
    taken += growth;
    body.append(chunk);
  };
  const onEnd = (): void => {
    if (body) done(body.bytes);
  };

  request.on('data', onData);
  request.on('end', onEnd);
  // A connection that breaks in the middle of a body is the client's end, not an error of ours.
  request.on('error', ignore);
  // Until the answer is out the body, or what was made of it, is still somewhere.
  response.on('close', giveBack);
}

/** Bodies of its own are in the way, and any of them may be done at once. */
const RETRY_MS = 1_000;

const shareUsedUp = (exchange: Exchange, bytes: number): Problem =>
  problemOf(
    tooManyRequests(exchange, {
      name: 'held-bodies',
      error: heldBodiesLimitReached,
      limit: `${bytes};qu="content-bytes"`,
      msUntilNext: RETRY_MS,
    }),
  );

const ignore = (): void => undefined;
