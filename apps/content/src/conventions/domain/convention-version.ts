import { changedFields, type ActorContext } from '@platform-backend/core';
import type { Convention } from './convention.ts';

/** A convention as one change left it, and who made the change. */
export interface ConventionVersion {
  readonly id: string;
  readonly conventionId: string;
  readonly createdAt: Date;
  readonly actor: { readonly type: string; readonly id: string; readonly name: string };
  readonly changedFields: readonly string[];
  readonly title: string;
  readonly content: string;
}

/** What the history gets of a change; undefined where nothing was changed. */
export function versionAfter(
  { actor }: ActorContext,
  id: string,
  before: Convention | undefined,
  after: Convention,
): ConventionVersion | undefined {
  if (before === after) return undefined;
  const { title, content, updatedAt } = after;
  const earlier = before ? { title: before.title, content: before.content } : {};
  const changed = Object.keys(changedFields(earlier, { title, content }).after);
  // Who may open it is no part of what it has said.
  if (changed.length === 0) return undefined;
  return {
    id,
    conventionId: after.id,
    createdAt: updatedAt,
    actor: { type: actor.type, id: actor.id, name: actor.name },
    changedFields: changed,
    title,
    content,
  };
}
