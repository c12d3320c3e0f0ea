import { withPrecondition } from '@platform-backend/core';
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

/**
 * Carries out a change only while the thing is in one of the states of `If-Match`. That is judged at once, so that nothing is
 * begun elsewhere for a change that is not made, and by the database once more in the transaction that makes it.
 *
 * @throws DomainError `precondition_failed` when it is in another one, and `not_found` when there is no such thing.
 */
export async function executeIfMatching<T>(
  change: object,
  {
    states,
    read,
    execute,
  }: { readonly states: string; readonly read: ReadOfChange; readonly execute: () => Promise<T> },
): Promise<T> {
  const accepted = new Set(states.split(' '));
  const given = change as Readonly<Record<string, unknown>>;
  const judge = async (): Promise<void> => {
    const request = read.newRequest();
    for (const [name, from] of Object.entries(read.fields)) request[name] = given[from];
    const state = read.stateOf(await read.answer(request));
    if (!accepted.has('*') && !accepted.has(state)) throw preconditionFailed();
  };
  await judge();
  return withPrecondition(judge, execute);
}
