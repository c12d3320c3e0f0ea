import type { TokenPerson, User } from '../users/user.ts';
import type { ActiveMembership, FoundApiKey } from './resolved-caller.ts';

/** What authentication reads. It looks across organisations, each time by one exact value and nothing else. */
export interface Credentials {
  /**
   * The user of a token with all their active memberships. `refresh` gets the user as known so far and answers the
   * user as of now; what differs is saved. First sights that race make one user.
   */
  userWithMemberships(
    person: TokenPerson,
    refresh: (known: User | undefined) => User,
  ): Promise<{ user: User; memberships: readonly ActiveMembership[] }>;
  /** The key one of whose secrets has this SHA-256. */
  apiKeyByHash(hash: Uint8Array): Promise<FoundApiKey | undefined>;
}
