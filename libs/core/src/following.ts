import { setTimeout as delay } from 'node:timers/promises';

/** Twice a second: whatever works on something writes its progress no more often. */
const LOOK_MS = 500;

/** What is found now and every so often, in milliseconds, for as long as somebody waits: then nothing is looked up any more. */
export async function* snapshots<State>(
  look: () => Promise<State>,
  signal: AbortSignal,
  everyMs = LOOK_MS,
): AsyncGenerator<State> {
  while (!signal.aborted) {
    yield await look();
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** How a reader follows something that other processes work on. */
export interface FollowOptions<State> {
  /** What it rejects with ends the reading. */
  readonly look: () => Promise<State>;
  /** Names how far it is: another name, and it has come further or begun anew. */
  readonly revisionOf: (state: State) => string;
  /** Nothing comes after it. */
  readonly isOver: (state: State) => boolean;
  /** The revision that the reader knows already; empty: none. */
  readonly known: string;
  /** Aborted when the reader has gone. */
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

export interface Revision<State> {
  readonly revision: string;
  readonly state: State;
  readonly isLast: boolean;
}

/**
 * Something now and whenever it has come further, until it is over. Whoever reads slowly misses revisions in between, and
 * nothing piles up.
 */
export async function* followRevisions<State>(followed: FollowOptions<State>): AsyncGenerator<Revision<State>> {
  const { look, revisionOf, isOver, known, signal, everyMs } = followed;
  let told = known;
  for await (const state of snapshots(look, signal, everyMs)) {
    const [revision, isLast] = [revisionOf(state), isOver(state)];
    if (revision !== told) yield { revision, state, isLast };
    if (isLast) return;
    told = revision;
  }
}
