import type { ActorContext } from '@platform-backend/core';

/** What a Jupyter client calls a session: a path, which may be a notebook's, with the kernel that it is worked on with. */
export interface Session {
  readonly id: string;
  /** Unique in its organisation. */
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly kernelId: string;
  readonly createdAt: Date;
}

/** Sessions go with their kernels. NOT_FOUND: no such session. */
export interface Sessions {
  /** Answers the session that the path has already, if it has one. */
  readonly add: (organisationId: string, session: Session) => Promise<Session>;
  readonly get: (organisationId: string, sessionId: string) => Promise<Session>;
  readonly atPath: (organisationId: string, path: string) => Promise<Session | undefined>;
  /** Oldest first. */
  readonly list: (organisationId: string) => Promise<readonly Session[]>;
  readonly change: (by: ActorContext, session: Session) => Promise<void>;
  readonly remove: (organisationId: string, sessionId: string) => Promise<void>;
}
