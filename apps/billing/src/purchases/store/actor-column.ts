import type { Actor } from '@platform-backend/core';
import { column } from '@platform-backend/postgres';

type ActorJson = Omit<Actor, 'userId' | 'level'>;

/** An actor, so that their work can be finished in the same name. What they may do is not kept. */
export const actorColumn = (name: string) =>
  column<Actor>(name, {
    read: (kept: ActorJson) => ({
      ...kept,
      userId: kept.type === 'user' ? kept.id : (kept.onBehalfOf?.id ?? null),
      level: null,
    }),
    write: ({ userId: _userId, level: _level, ...kept }) => JSON.stringify(kept satisfies ActorJson),
  });
