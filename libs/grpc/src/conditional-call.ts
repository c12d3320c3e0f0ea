import { DomainError, withPrecondition } from '@platform-backend/core';
import { preconditionFailed } from './errors.ts';

/** How a service reads what one of its operations changes. */
export interface ReadOfChange {
  /** Of the request that reads it which field of the change names the thing, both as handlers call them. */
  readonly fields: Readonly<Record<string, string>>;
  readonly newRequest: () => Record<string, unknown>;
  /** Answers as whoever reads it is answered. */
  readonly answer: (request: object) => Promise<Buffer>;
  readonly stateOf: (answer: Buffer) => string;
}

/** States separated by spaces, or `*` for any. */
export interface Condition {
  /** One of which the thing has to be in (`If-Match`). */
  readonly states: string | undefined;
  /** None of which it may be in (`If-None-Match`). */
  readonly unwanted: string | undefined;
}

/**
 * Carries out a change only while the thing is as `If-Match` and `If-None-Match` have it. That is judged at once, so that nothing is
 * begun elsewhere for a change that is not made, and by the database once more in the transaction that makes it.
 *
 * @throws DomainError `precondition_failed` when it is not, and `not_found` when there is no such thing that `If-Match` is about.
 */
export async function executeIfMatching<T>(
  change: object,
  { states, unwanted, read, execute }: Condition & { readonly read: ReadOfChange; readonly execute: () => Promise<T> },
): Promise<T> {
  const accepted = setOf(states ?? ANY);
  const refused = setOf(unwanted ?? '');
  const given = change as Readonly<Record<string, unknown>>;
  const judge = async (): Promise<void> => {
    const request = read.newRequest();
    for (const [name, from] of Object.entries(read.fields)) request[name] = given[from];
    const answer = await read.answer(request).catch((error: unknown) => {
      const isMissing = error instanceof DomainError && error.kind === 'not_found';
      if (states === undefined && isMissing) return undefined;
      throw error;
    });
    if (!answer) return;
    const state = read.stateOf(answer);
    if (!includes(accepted, state) || includes(refused, state)) throw preconditionFailed();
  };
  await judge();
  return withPrecondition(judge, execute);
}

const ANY = '*';
const setOf = (states: string): ReadonlySet<string> => new Set(states.split(' '));
const includes = (states: ReadonlySet<string>, state: string): boolean => states.has(ANY) || states.has(state);
