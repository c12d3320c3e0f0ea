import { answerProblemAndLinger } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Problem } from '../exchange/problem.ts';
import { bodyRoom, type BodyMemory } from './body-room.ts';
import { GrowingBytes } from './growing-bytes.ts';

export interface BodyLimits extends BodyMemory {
  /** For this body, in bytes. */
  readonly limitBytes: number;
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
  { limitBytes, tooLarge, ...memory }: BodyLimits,
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
  const room = bodyRoom(exchange, memory);
  const refuse = (problem: Problem): void => {
    request.off('data', onData);
    request.off('end', onEnd);
    body = undefined;
    room.giveBack();
    answerProblemAndLinger(exchange, problem);
  };
  const onData = (chunk: Buffer): void => {
    if (!body) return;
    if (body.length + chunk.length > limitBytes) {
      refuse(tooLarge);
      return;
    }
    const refusal = room.take(body.growthFor(chunk.length));
    if (refusal) refuse(refusal);
    else body.append(chunk);
  };
  const onEnd = (): void => {
    if (body) done(body.bytes);
  };

  request.on('data', onData);
  request.on('end', onEnd);
  // A connection that breaks in the middle of a body is the client's end, not an error of ours.
  request.on('error', ignore);
}

const ignore = (): void => undefined;
