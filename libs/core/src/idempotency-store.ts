import { AsyncLocalStorage } from 'node:async_hooks';
import { invalidField } from './domain-error.ts';
import { idOf } from './ids.ts';
import { withoutPrecondition } from './precondition.ts';

/** A call that its caller has given an `Idempotency-Key` (D23). */
export interface KeyedCall {
  /** Whose calls it is one of: an organisation's, or those of a person who acts in none. */
  readonly scope: string;
  /** Stands for who calls what with which key; the key itself cannot be told from it. */
  readonly key: Buffer;
  /** Stands for what is asked for. */
  readonly request: Buffer;
}

/** A keyed call that is being carried out here and nowhere else. */
export interface ClaimedCall extends KeyedCall {
  /** Of this attempt to carry it out. */
  readonly id: string;
}

/** What has become of a keyed call so far. */
export type Claim =
  /** It is to be carried out. */
  | { readonly is: 'ours' }
  /** The key was used for another request. */
  | { readonly is: 'key_reused' }
  | { readonly is: 'answered'; readonly answer: Buffer }
  | { readonly is: 'in_flight' }
  /** It changed something, and what it answered is not known. */
  | { readonly is: 'cut_short'; /** Of the attempt that changed something. */ readonly id: string };

/**
 * Where keyed calls are noted before they are carried out, with their answers afterwards. A note that its call has
 * changed something is written in the transaction of the change, so that the two are never apart.
 */
export interface IdempotencyStore {
  /** Notes the call unless it was noted before; a note whose call has died without a change counts for nothing. */
  readonly claim: (call: ClaimedCall) => Promise<Claim>;
  /** Keeps the answer, until a day after the claim. */
  readonly keep: (call: ClaimedCall, answer: Buffer) => Promise<void>;
  /** Forgets the call, which was refused: its key is as good as new. */
  readonly free: (call: ClaimedCall) => Promise<void>;
  /** Nobody carries the call out any more. */
  readonly leave: (call: ClaimedCall) => Promise<void>;
  /** Removes some of what is older than a day; answers how many. */
  readonly prune: () => Promise<number>;
}

/** For a key that something else has been asked for with: ids that are made of keys tell it as well as the store does. */
export const keyReused = () => invalidField(['header', 'idempotency-key'], 'this key was used for another request');

/** How long a key counts, in milliseconds. */
export const KEY_LIFETIME_MS = 24 * 60 * 60_000;

/**
 * After this many milliseconds a call that has changed nothing is taken for dead, longer than the gateway waits for one.
 * A call that is merely slow cannot change anything any more once another has taken its place.
 */
export const CLAIM_LEASE_MS = 15_000;

/** The note that a call has changed something, as long as it has still to be written. */
export interface ChangeNote {
  readonly call: ClaimedCall;
  /** It is written: the call's first change is committed. */
  written(): void;
}

interface Carrying {
  readonly call: ClaimedCall;
  /** Nothing is left to be noted. */
  hasChanged: boolean;
  isOver: boolean;
}

const carrying = new AsyncLocalStorage<Carrying | undefined>();

/** Carries out a call of which the store is to note its first change. */
export const notingChanges = <T>(call: ClaimedCall, work: () => Promise<T>): Promise<T> =>
  executeAs({ call, hasChanged: false, isOver: false }, work);

/** Carries out a call that may be carried out again after it was cut short: it has the ids of its key, and no change is noted. */
export const withKeyedIds = <T>(call: ClaimedCall, work: () => Promise<T>): Promise<T> =>
  executeAs({ call, hasChanged: true, isOver: false }, work);

const executeAs = <T>(state: Carrying, work: () => Promise<T>): Promise<T> =>
  carrying.run(state, async () => {
    try {
      return await work();
    } finally {
      // What it has set going goes on for itself.
      state.isOver = true;
    }
  });

/**
 * Runs what has to be there before a call can do what it was asked for, and may be done at any time by anybody: opening an account.
 * That it is done does not say that the call was carried out, and the condition of a change is judged by the change itself.
 */
export const asPreparation = <T>(work: () => T): T => carrying.run(undefined, () => withoutPrecondition(work));

/**
 * An id that is the same at each attempt to carry out the keyed call, for those who are told it outside of our transactions;
 * `otherwise` where there is none.
 */
export function idOfKey(otherwise: () => string): string {
  const state = carrying.getStore();
  return state && !state.isOver ? idOf(['key', state.call.scope, state.call.key.toString('hex')]) : otherwise();
}

/**
 * The id of the keyed call that is being carried out, for what it begins; `otherwise` where there is none. Whoever asks again
 * after the answer was lost is told it.
 */
export function keyedCallId(otherwise: () => string): string {
  const state = carrying.getStore();
  return state && !state.isOver ? state.call.id : otherwise();
}

/** What the next change has to note; nothing where there is no keyed call, or its first change was noted. */
export function changeToNote(): ChangeNote | undefined {
  const state = carrying.getStore();
  if (!state || state.hasChanged || state.isOver) return undefined;
  return { call: state.call, written: () => void (state.hasChanged = true) };
}
