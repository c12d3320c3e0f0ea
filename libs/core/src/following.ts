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
export interface Followed<State> {
  /** What it rejects with ends the reading. */
  readonly look: () => Promise<State>;
  /** Names how far it is: another name, and it has come further or begun anew. */
  readonly stepOf: (state: State) => string;
  /** Nothing comes after it. */
  readonly isOver: (state: State) => boolean;
  /** The step that the reader knows already; empty: none. */
  readonly known: string;
  /** Aborted when the reader has gone. */
  readonly signal: AbortSignal;
  readonly everyMs?: number;
}

export interface Step<State> {
  readonly step: string;
  readonly state: State;
  readonly isLast: boolean;
}

/**
 * Something now and whenever it has come a step further, until it is over. Whoever reads slowly misses steps in between, and
 * nothing piles up.
 */
export async function* followSteps<State>(followed: Followed<State>): AsyncGenerator<Step<State>> {
  const { look, stepOf, isOver, known, signal, everyMs } = followed;
  let told = known;
  for await (const state of snapshots(look, signal, everyMs)) {
    const [step, isLast] = [stepOf(state), isOver(state)];
    if (step !== told) yield { step, state, isLast };
    if (isLast) return;
    told = step;
  }
}
