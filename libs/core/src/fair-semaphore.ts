import { DomainError, unavailable } from './domain-error.ts';
import { busy } from './errors.ts';
import { remainingDeadlineMs, callerSignal } from './waiting-caller.ts';

export interface TurnLimits {
  /** How many may work at once. */
  readonly places: number;
  /** Of the places, those that only work without an organisation may take; none unless given. */
  readonly keptForSystem?: number;
  /** Places of one party. */
  readonly share: number;
  /** Of one party; further ones are refused at once. */
  readonly maxWaiting: number;
  /** Of all parties together. */
  readonly maxWaitingInAll: number;
  /** Milliseconds that one waits at most; less where its caller waits less, who is told in time. */
  readonly timeoutMs: number;
}

/**
 * Whose turn it is to work with what all share. A party (an organisation, or a kind of work without one) never has more
 * than its share, and who waits is let in party by party in turn: one that wants much waits for itself alone.
 */
export interface FairTurns {
  /**
   * A place, at once where one is free. Rejects with `unavailable` where there is none in time or nobody wants it any more:
   * the caller has gone, or this signal is aborted.
   */
  enter(line: QueueClass, party: string, wanted?: AbortSignal): Tenant | Promise<Tenant>;
  /** Gives the place back. */
  leave(party: Tenant): void;
  /** Runs the work in a place of the party. */
  inTurn<T>(line: QueueClass, party: string, work: () => Promise<T>): Promise<T>;
  /** Parties that work or wait. */
  readonly parties: number;
  /** Places that are taken. */
  readonly taken: number;
  /** How many wait for a place, of all parties. */
  readonly waiting: number;
}

export type QueueClass = 'tenants' | 'system';

/** Somebody who holds places or waits for some; forgotten as soon as there is neither. */
export interface Tenant {
  readonly name: string;
  readonly line: Line;
  held: number;
  /** In the order of their coming. */
  readonly waiting: Set<() => void>;
}

interface Line {
  readonly parties: Map<string, Tenant>;
  /** Those who wait, in the order of their turns. */
  readonly turns: Set<Tenant>;
  /** How many more places all of this line may take. */
  open: number;
}

export function fairSemaphore({
  places,
  keptForSystem = 0,
  share,
  maxWaiting,
  maxWaitingInAll,
  timeoutMs,
}: TurnLimits): FairTurns {
  const line = (open: number): Line => ({ parties: new Map(), turns: new Set(), open });
  const lines = { tenants: line(places - keptForSystem), system: line(places) };
  let free = places;
  let waiting = 0;

  const mayGo = (party: Tenant): boolean => free > 0 && party.line.open > 0 && party.held < share;

  function go(party: Tenant): void {
    party.held += 1;
    party.line.open -= 1;
    free -= 1;
  }

  function enter(lineName: QueueClass, name: string, wanted?: AbortSignal): Tenant | Promise<Tenant> {
    const { parties } = lines[lineName];
    let party = parties.get(name);
    if (!party) {
      party = { name, line: lines[lineName], held: 0, waiting: new Set() };
      parties.set(name, party);
    }
    // Whoever waits elsewhere could not take this place: it would have been given to them when it became free.
    if (!mayGo(party)) return wait(party, wanted);
    go(party);
    return party;
  }

  async function wait(party: Tenant, wanted: AbortSignal | undefined): Promise<Tenant> {
    if (party.waiting.size >= maxWaiting || waiting >= maxWaitingInAll) {
      tidy(party);
      throw tooMany(`${party.waiting.size} of ${party.name} and ${waiting} in all wait already`);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Tenant>();
    const letIn = (): void => resolve(party);
    const refuse = (error: DomainError): void => {
      party.waiting.delete(letIn);
      tidy(party);
      reject(error);
    };
    const signal = AbortSignal.any([callerSignal(), wanted].filter((one) => one !== undefined));
    const giveUp = (): void => refuse(unavailable(signal.reason));
    const waitMs = Math.min(timeoutMs, remainingDeadlineMs());
    const timer = setTimeout(() => refuse(tooMany(`no place for ${party.name} in ${waitMs} ms`)), waitMs);
    // No process lives on for somebody who waits.
    timer.unref();
    signal.addEventListener('abort', giveUp);
    party.waiting.add(letIn);
    waiting += 1;
    party.line.turns.add(party);
    if (signal.aborted) giveUp();
    try {
      return await promise;
    } finally {
      waiting -= 1;
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    }
  }

  function leave(party: Tenant): void {
    party.held -= 1;
    party.line.open += 1;
    free += 1;
    for (let next = nextInTurn(); next; next = nextInTurn()) admit(next);
    tidy(party);
  }

  /** Of all lines. What is kept for the system is closed to tenants; what is not, they have first. */
  const nextInTurn = (): Tenant | undefined => nextOf(lines.tenants) ?? nextOf(lines.system);

  /** Passes over those who have their share: there are never more of them than places. */
  function nextOf({ turns, open }: Line): Tenant | undefined {
    if (free === 0 || open === 0) return undefined;
    for (const party of turns) if (mayGo(party)) return party;
    return undefined;
  }

  function admit(party: Tenant): void {
    const [first] = party.waiting;
    if (!first) return;
    party.waiting.delete(first);
    // Behind everybody else, if more of it wait.
    party.line.turns.delete(party);
    if (party.waiting.size > 0) party.line.turns.add(party);
    go(party);
    first();
  }

  function tidy(party: Tenant): void {
    if (party.waiting.size > 0) return;
    party.line.turns.delete(party);
    if (party.held === 0) party.line.parties.delete(party.name);
  }

  async function inTurn<T>(lineName: QueueClass, name: string, work: () => Promise<T>): Promise<T> {
    const entered = enter(lineName, name);
    const party = entered instanceof Promise ? await entered : entered;
    try {
      return await work();
    } finally {
      leave(party);
    }
  }

  return {
    enter,
    leave,
    inTurn,
    get parties() {
      return lines.tenants.parties.size + lines.system.parties.size;
    },
    get taken() {
      return places - free;
    },
    get waiting() {
      return waiting;
    },
  };
}

/** The cause is for the log; the caller shall know that it is about how much is asked for at once. */
const tooMany = (cause: string): DomainError => busy({ cause: new Error(cause) });
