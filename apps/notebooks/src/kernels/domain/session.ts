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
  /** CONFLICT: another one has its path. */
  readonly change: (by: ActorContext, session: Session) => Promise<void>;
  /** Gives it this kernel in the place of that one. Answers the session as it is then: somebody may have given it another one meanwhile. */
  readonly changeKernel: (organisationId: string, sessionId: string, before: string, after: string) => Promise<Session>;
  readonly remove: (organisationId: string, sessionId: string) => Promise<void>;
}

/**
 * The name of the notebook in whose folder a kernel works that is started at a path: `Sales.ipynb` itself, or what lies in its folder, such
 * as `Sales/other.ipynb`. Undefined: it is none.
 */
export function notebookNameIn(path: string): string | undefined {
  const [first = '', ...others] = path.split('/');
  if (others.length > 0) return first === '' ? undefined : first;
  return first.endsWith('.ipynb') ? first.slice(0, -'.ipynb'.length) : undefined;
}
