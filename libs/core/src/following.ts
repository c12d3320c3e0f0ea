import { setTimeout as delay } from 'node:timers/promises';
import type { ChangeNotice } from './change-notices.ts';

/** Between two looks of a reader, in milliseconds: what changes more often is told of together. */
const LOOK_MS = 250;
/** Of what nobody gives notice of: whatever works on it writes its progress no more often. */
const UNTOLD_LOOK_MS = 500;
/** A notice may be lost, with its connection or whoever should have given it. */
const SAFETY_MS = 10_000;

type Pause = (ms: number, signal: AbortSignal) => Promise<void>;

const pauseOf: Pause = (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined);

export interface SnapshotOptions {
  /** Aborted when the reader has gone. */
  readonly signal: AbortSignal;
  /** Begins to notice its changes. Without it, it is looked at again and again. */
  readonly notice?: (() => ChangeNotice) | undefined;
  /** Resolves after so many milliseconds, and when the signal is aborted. */
  readonly pause?: Pause;
}

/**
 * What is found now and whenever it may have changed, for as long as somebody waits: then nothing is looked up any more. A change that
 * nobody has given notice of is found ten seconds later at most.
 */
export async function* snapshots<State>(
  look: () => Promise<State>,
  { signal, notice: noticeOf, pause = pauseOf }: SnapshotOptions,
): AsyncGenerator<State> {
  const notice = noticeOf?.();
  try {
    while (!signal.aborted) {
      yield await look();
      await pause(notice ? LOOK_MS : UNTOLD_LOOK_MS, signal);
      if (notice) await noticed(notice, pause, signal);
    }
  } finally {
    notice?.end();
  }
}

/** Resolves with the first of the next notice, the end of the time for which one is believed to come, and the end of the signal. */
async function noticed(notice: ChangeNotice, pause: Pause, signal: AbortSignal): Promise<void> {
  const waiting = new AbortController();
  const either = AbortSignal.any([signal, waiting.signal]);
  await Promise.race([notice.next(either), pause(SAFETY_MS - LOOK_MS, either)]);
  waiting.abort();
}

/** How a reader follows something that other processes work on. */
export interface FollowOptions<State> extends SnapshotOptions {
  /** What it rejects with ends the reading. */
  readonly look: () => Promise<State>;
  /** Names how far it is: another name, and it has come further or begun anew. */
  readonly revisionOf: (state: State) => string;
  /** Nothing comes after it. */
  readonly isOver: (state: State) => boolean;
  /** The revision that the reader knows already; empty: none. */
  readonly known: string;
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
  const { look, revisionOf, isOver, known, ...options } = followed;
  let told = known;
  for await (const state of snapshots(look, options)) {
    const [revision, isLast] = [revisionOf(state), isOver(state)];
    if (revision !== told) yield { revision, state, isLast };
    if (isLast) return;
    told = revision;
  }
}
