import { deadlineExceeded, DomainError } from '@platform-backend/core';
import { openStreamsLimitReached } from '../errors.ts';
import { answerProblem } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { DRAINING, OVERLOADED, problemOf, type Problem } from '../exchange/problem.ts';
import { tooManyRequests } from '../exchange/too-many-requests.ts';
import type { Fail } from '../pipeline/policy.ts';
import { memoryBudget, type Holder, type MemoryBudgetLimits } from './memory-budget.ts';

/** How often all of them are looked at: a caller that is revoked loses them within 2 s. */
const LOOK_MS = 250;
/** Streams of its own are in the way, and any of them may end at once. */
const RETRY_MS = 1_000;

export interface OpenStreamsOptions {
  /** How many there may be at once. */
  readonly limits: MemoryBudgetLimits;
  /** One on which nothing has moved for so long is ended. */
  readonly idleMs: number;
  /** One on which nothing was said for so long shows that it is still there. */
  readonly heartbeatMs: number;
  /** Throws, or rejects, when the caller may do no longer what it does. */
  readonly admit: (exchange: Exchange) => void | Promise<void>;
  readonly fail: Fail;
}

/** A stream that is open. */
export interface OpenStream {
  /** To be called whenever a message, or a piece of one, has found its way. */
  moved(): void;
  /** Shows the client, and whatever is between, that the stream is alive. */
  heartbeat: (() => void) | undefined;
}

/**
 * The streams that are open, of all callers: however long they last, they are bounded as short requests are, belong to
 * callers who may have them, and end with a word when the gateway does.
 */
export interface OpenStreams {
  /** Opens one; undefined when there is no room for it, and the exchange was answered. */
  open(exchange: Exchange, holder: Holder): OpenStream | undefined;
  /** Ends all of them, since the gateway is about to. */
  endAll(): void;
  close(): void;
  readonly size: number;
}

export function openStreams({ limits, idleMs, heartbeatMs, admit, fail }: OpenStreamsOptions): OpenStreams {
  const room = memoryBudget(limits);
  const streams = new Map<Exchange, OpenStream & { movedAt: number; saidAt: number }>();

  const look = (): void => {
    const now = performance.now();
    for (const [exchange, stream] of streams) {
      if (now - stream.movedAt > idleMs) fail(exchange, deadlineExceeded());
      else if (now - stream.saidAt >= heartbeatMs) {
        stream.saidAt = now;
        stream.heartbeat?.();
      }
      reauthorise(exchange).catch((error: unknown) => fail(exchange, error));
    }
  };
  /** Only a refusal ends a stream. When nobody can be asked, nobody can have been revoked either. */
  const reauthorise = async (exchange: Exchange): Promise<void> => {
    try {
      await admit(exchange);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind === 'unauthenticated' || error.kind === 'forbidden')
        throw error;
    }
  };
  /** Only while there are some: a gateway that nobody asks is not woken. */
  let looking: NodeJS.Timeout | undefined;
  const stopLooking = (): void => {
    clearInterval(looking);
    looking = undefined;
  };

  return {
    open(exchange, holder) {
      const reached = room.take(holder, 1);
      if (reached) {
        answerProblem(exchange, reached === 'total' ? OVERLOADED : shareUsedUp(exchange, limits[reached]));
        return undefined;
      }
      exchange.isStream = true;
      exchange.leaveCalls?.();
      const now = performance.now();
      const stream = {
        movedAt: now,
        saidAt: now,
        heartbeat: undefined,
        moved() {
          stream.movedAt = stream.saidAt = performance.now();
        },
      };
      streams.set(exchange, stream);
      looking ??= setInterval(look, LOOK_MS);
      exchange.response.once('close', () => {
        streams.delete(exchange);
        if (streams.size === 0) stopLooking();
        room.giveBack(holder, 1);
      });
      return stream;
    },
    endAll: () => {
      for (const exchange of streams.keys()) answerProblem(exchange, DRAINING);
    },
    close: stopLooking,
    get size() {
      return streams.size;
    },
  };
}

const shareUsedUp = (exchange: Exchange, streams: number): Problem =>
  problemOf(
    tooManyRequests(exchange, {
      name: 'open-streams',
      error: openStreamsLimitReached,
      limit: streams,
      msUntilNext: RETRY_MS,
    }),
  );
