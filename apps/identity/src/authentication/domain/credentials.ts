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
   * user as of now; what differs is saved. First sights that race make one user.
   */
  readonly userWithMemberships: (person: TokenPerson, refresh: (known: User | undefined) => User) => Promise<KnownUser>;
  /** The key one of whose secrets has this SHA-256. */
  readonly apiKeyByHash: (hash: Uint8Array) => Promise<ApiKeyRecord | undefined>;
}
