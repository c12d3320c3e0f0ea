import { forbidden, includesLevel, type ActorContext } from '@platform-backend/core';

/** Somebody who reads conversations. */
export interface Reader {
  /** The user's id, which stands for the member: callers carry no other. */
  readonly memberId: string;
  /** Whether they read those of others as well. */
  readonly readsAll: boolean;
}

/** FORBIDDEN: nobody stands behind the call, as behind that of a service. */
export function readerOf({ actor }: ActorContext): Reader {
  if (actor.userId === null) throw forbidden();
  return { memberId: actor.userId, readsAll: includesLevel(actor.level, 'ADMIN') };
}
