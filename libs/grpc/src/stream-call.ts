import type { Client, Metadata, MethodDefinition } from '@grpc/grpc-js';
import { deadlineExceeded } from '@platform-backend/core';
import { once } from 'node:events';
import { untilAborted } from './until-aborted.ts';

export interface StreamCall {
  requests: AsyncIterable<unknown>;
  metadata: Metadata;
  /** Milliseconds since 1970. */
  deadline: number;
  /** How long neither side may say anything while somebody waits for the other, in milliseconds. */
  idleMs: number;
  signals: readonly AbortSignal[];
}

/**
 * Makes a call with a stream of messages in one direction or both, and gives the answers as they come: the next one is
 * read when the one before was taken, and the next request is asked for when the one before has found room. Whoever stops
 * taking answers ends the call.
 */
export async function* answersOf(
  client: Client,
  rpc: MethodDefinition<unknown, unknown>,
  { requests, metadata, deadline, idleMs, signals }: StreamCall,
): AsyncGenerator {
  for (const signal of signals) signal.throwIfAborted();
  // On the wire a call with one message in a direction is a call with a stream of one.
  const call = client.makeBidiStreamRequest(rpc.path, rpc.requestSerialize, rpc.responseDeserialize, metadata, {
    deadline,
  });
  // It may still fail when nobody listens any more, which would end the process.
  call.on('error', () => undefined);

  let ourFault: unknown;
  const giveUp = (reason: unknown): void => {
    ourFault ??= reason;
    call.cancel();
  };
  const cancel = (): void => call.cancel();
  for (const signal of signals) signal.addEventListener('abort', cancel);
  let waiting = true;
  const idle = setTimeout(() => {
    if (waiting) giveUp(deadlineExceeded());
  }, idleMs);

  const ended = new AbortController();
  const send = async (): Promise<void> => {
    for await (const request of untilAborted(ended.signal, requests)) {
      if (!call.write(request)) await once(call, 'drain', { signal: ended.signal });
      idle.refresh();
    }
    if (rpc.requestStream) call.write({});
    call.end();
  };
  send().catch((error: unknown) => {
    if (!ended.signal.aborted) giveUp(error);
  });

  try {
    for await (const answer of call) {
      waiting = false;
      yield answer;
      waiting = true;
      idle.refresh();
    }
  } catch (error) {
    throw ourFault ?? error;
  } finally {
    ended.abort();
    clearTimeout(idle);
    for (const signal of signals) signal.removeEventListener('abort', cancel);
    call.cancel();
  }
}
