import type { ActorContext } from '@platform-backend/core';
import type { Reader } from './opening.ts';

/** What client groups open to somebody, as identity knows it. */
export interface GroupAccess {
  readonly groupIds: readonly string[];
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly assets: readonly string[];
}

/** Who is in which client group. UNAVAILABLE: whoever knows is away. */
export interface ClientGroups {
  readonly accessOf: (reader: Reader) => Promise<GroupAccess>;
  /** Those of these that there are. */
  readonly presentGroups: (by: ActorContext, ids: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The same of members, by their users. */
  readonly presentMembers: (by: ActorContext, ids: readonly string[]) => Promise<ReadonlySet<string>>;
}
