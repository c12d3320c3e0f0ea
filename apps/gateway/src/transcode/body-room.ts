import { heldBodiesLimitReached } from '../errors.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { OVERLOADED, problemOf, type Problem } from '../exchange/problem.ts';
import { tooManyRequests } from '../exchange/too-many-requests.ts';
import type { Holder, MemoryBudget, MemoryBudgetLimits } from './memory-budget.ts';

/** What bodies may take of memory, in bytes: of all that are held at once, and of one request's holder. */
export interface BodyMemory {
  readonly heldLimits: MemoryBudgetLimits;
  readonly held: MemoryBudget;
  readonly holder: Holder;
}

/** The room of one request for what is held of its body. */
export interface BodyRoom {
  /** Takes room for so many more bytes, or says what a body that finds none is answered. */
  take(bytes: number): Problem | undefined;
  giveBack(): void;
}

/** Room that is given back at the latest when the answer is out: until then the body, or what was made of it, is still somewhere. */
export function bodyRoom(exchange: Exchange, { held, heldLimits, holder }: BodyMemory): BodyRoom {
  let taken = 0;
  const giveBack = (): void => {
    held.giveBack(holder, taken);
    taken = 0;
  };
  exchange.response.once('close', giveBack);
  return {
    take(bytes) {
      const reached = held.take(holder, bytes);
      if (reached) return reached === 'total' ? OVERLOADED : shareUsedUp(exchange, heldLimits[reached]);
      taken += bytes;
      return undefined;
    },
    giveBack,
  };
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
