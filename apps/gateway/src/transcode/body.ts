import type { Exchange } from '../exchange/exchange.ts';
import { answerProblemAndLinger } from '../exchange/answer.ts';
import { BODY_TOO_LARGE } from '../exchange/problem.ts';

export const NO_BODY = Buffer.alloc(0);

/**
 * Reads the body of a request, counting the bytes as they come: Content-Length may lie or be absent.
 * `done` is called once with the whole body, or never: then the request was answered 413, or its
 * client went away.
 */
export function readBody(exchange: Exchange, limitBytes: number, done: (body: Buffer) => void): void {
  const { request, response } = exchange;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    answerProblemAndLinger(exchange, BODY_TOO_LARGE);
    return;
  }
  // The client waits for our word before it sends a body that we might refuse anyway.
  if (request.headers.expect !== undefined) response.writeContinue();

  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let received = 0;

  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > limitBytes) {
      request.off('data', onData);
      request.off('end', onEnd);
      answerProblemAndLinger(exchange, BODY_TOO_LARGE);
    } else if (first === undefined) {
      first = chunk;
    } else {
      (more ??= [first]).push(chunk);
    }
  };
  const onEnd = (): void => done(more ? Buffer.concat(more, received) : (first ?? NO_BODY));

  request.on('data', onData);
  request.on('end', onEnd);
  // A connection that breaks in the middle of a body is the client's end, not an error of ours.
  request.on('error', ignore);
}

const ignore = (): void => undefined;
