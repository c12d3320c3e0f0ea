import type { ActiveMembership, ApiKeyRecord } from './resolved-caller.ts';
import type { TokenPerson, User } from './user.ts';

export interface KnownUser {
  readonly user: User;
  readonly memberships: readonly ActiveMembership[];
}

/** What authentication reads. It looks across organisations, each time by one exact value and nothing else. */
export interface Credentials {
  /**
   * The user of a token with all their active memberships. `refresh` gets the user as known so far and answers the
   * user as of now; what differs is saved, unless a token that was issued later has said otherwise. First sights that race make one user.
   * UNAUTHENTICATED: the session has ended.
   */
  readonly userWithMemberships: (
    person: TokenPerson,
    session: TokenSession,
    refresh: (known: User | undefined) => User,
  ) => Promise<KnownUser>;
  /** The organisations in which the user is a member who is suspended. */
  readonly suspendedIn: (userId: string) => Promise<readonly string[]>;
  /** The key one of whose secrets has this SHA-256. */
  readonly apiKeyByHash: (hash: Uint8Array) => Promise<ApiKeyRecord | undefined>;
  /** CONFLICT: the token that says so was used before. */
  readonly endSessions: (ended: EndedSessions) => Promise<void>;
  /** Forgets sessions that ended before this moment. */
  readonly forgetEndedSessions: (before: Date) => Promise<number>;
}

/** What a token says of the session that it is of. */
export interface TokenSession {
  /** Empty: it does not say. */
  readonly sessionId: string;
  readonly issuedAt: Date | null;
}

/** A session that has ended, or all of a subject until then. */
export interface EndedSessions {
  readonly issuer: string;
  /** Of the token that says so. */
  readonly tokenId: string;
  /** Empty: whoever has the session. */
  readonly subject: string;
  /** Empty: all of the subject. */
  readonly sessionId: string;
  readonly endedAt: Date;
}
