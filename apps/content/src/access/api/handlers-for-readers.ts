import type { CallContext } from '@platform-backend/grpc';
import type { PresentReader } from '../domain/opening.ts';
import { readerOfCaller } from './reader-of-caller.ts';

type Handler = (request: unknown, context: CallContext) => unknown;

/**
 * Handlers that do all their work for whoever calls, each part of a stream as well. It is put around every handler of the service, so
 * that none can forget it.
 */
export function handlersForReaders<Handlers extends object>(handlers: Handlers, { within }: PresentReader): Handlers {
  const ofServices = Object.entries(handlers).map(([service, part]) => [
    service,
    Object.fromEntries(
      Object.entries(part as Record<string, Handler>).map(([method, handler]) => [method, forReader(handler, within)]),
    ),
  ]);
  return Object.fromEntries(ofServices) as Handlers;
}

function forReader(handler: Handler, within: PresentReader['within']): Handler {
  return (request, context) => {
    const inside = <T>(work: () => T): T => within(readerOfCaller(context.caller), work);
    const answer = inside(() => handler(request, context));
    return isStream(answer) ? eachInside(answer, inside) : answer;
  };
}

const isStream = (answer: unknown): answer is AsyncIterable<unknown> =>
  typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer;

/** What a generator does, it does when it is asked for the next part. */
function eachInside<T>(stream: AsyncIterable<T>, inside: <R>(work: () => R) => R): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const parts = inside(() => stream[Symbol.asyncIterator]());
      return {
        next: () => inside(() => parts.next()),
        return: (value?: unknown) => inside(() => parts.return?.(value) ?? Promise.resolve({ done: true, value })),
      };
    },
  };
}
