import type { mongo } from 'mongoose';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Limits } from './limits.ts';

/** Whose documents the present work may touch. */
export interface Scope {
  /** Null is every organisation, see `acrossOrganisations`. */
  readonly organisationId: string | null;
  /** Of the transaction that the work is part of. */
  readonly session: mongo.ClientSession | undefined;
  /** Which documents of it the work may touch, where not all. */
  readonly limits: Limits | undefined;
  /** False once the work is over: what it left running without waiting for it is refused. */
  open: boolean;
  /** Whether the work has added events, so that the relay is to be woken at its end. */
  hasEvents: boolean;
  /** Whether the work has changed something, for good where it is in no transaction. */
  hasWritten: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

export function presentScope(): Scope | undefined {
  const scope = scopes.getStore();
  return scope?.open ? scope : undefined;
}

export const newScope = (organisationId: string | null, { session, limits }: Partial<Scope> = {}): Scope => ({
  organisationId,
  session,
  limits,
  open: true,
  hasEvents: false,
  hasWritten: false,
});

export const inScope = <T>(scope: Scope, work: () => Promise<T>): Promise<T> =>
  scopes.run(scope, async () => {
    try {
      return await work();
    } finally {
      scope.open = false;
    }
  });
