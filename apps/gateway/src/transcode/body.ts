import type { Exchange } from '../exchange/exchange.ts';
import { answerProblemAndLinger } from '../exchange/answer.ts';
import { BODY_TOO_LARGE, NO_ROOM_FOR_BODY } from '../exchange/problem.ts';
import type { HeldBodies } from './held-bodies.ts';

export const NO_BODY = Buffer.alloc(0);

export interface BodyLimits {
  /** For this body, in bytes. */
  readonly limitBytes: number;
  /** For all bodies that are held at once. */
  readonly held: HeldBodies;
}

/**
 * Reads the body of a request, counting the bytes as they come: Content-Length may lie or be absent.
 * `done` is called once with the whole body, or never: then the request was answered 413 or 503, or its
 * client went away.
 */
export function readBody(exchange: Exchange, { limitBytes, held }: BodyLimits, done: (body: Buffer) => void): void {
  const { request, response } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    answerProblemAndLinger(exchange, BODY_TOO_LARGE);
    return;
  }
  // The client waits for our word before it sends a body that we might refuse anyway.
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();

  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let received = 0;
  let taken = 0;

  const refuse = (problem: typeof BODY_TOO_LARGE): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    first = undefined;
    more = undefined;
    held.giveBack(taken);
    taken = 0;
    answerProblemAndLinger(exchange, problem);
  };
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > limitBytes) {
      refuse(BODY_TOO_LARGE);
      return;
    }
    if (!held.take(chunk.length)) {
      refuse(NO_ROOM_FOR_BODY);
      return;
    }
    taken += chunk.length;
    if (first === undefined) first = chunk;
    else (more ??= [first]).push(chunk);
  };
  const onEnd = (): void => done(more ? Buffer.concat(more, received) : (first ?? NO_BODY));

  request.on('data', onData);
  request.on('end', onEnd);
  // A connection that breaks in the middle of a body is the client's end, not an error of ours.
  request.on('error', ignore);
  // Until the answer is out the body, or what was made of it, is still somewhere.
  response.on('close', () => held.giveBack(taken));
}

const ignore = (): void => undefined;
