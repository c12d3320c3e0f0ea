import type { Clock } from '@platform/core';
import type { ApiKeys } from '../domain/api-keys/api-keys.ts';
import type { NewSecret } from '../domain/api-keys/change-api-key.ts';
import type { AuditLog } from '../domain/audit/audit-entry.ts';
import type { Credentials } from '../domain/authentication/credentials.ts';
import type { ClientGroups } from '../domain/client-groups/client-groups.ts';
import type { Members } from '../domain/members/members.ts';
import type { Organisations } from '../domain/organisations/organisations.ts';
import type { KeyUses } from './authentication/key-uses.ts';

/** A key that has just been made, together with what is kept of it. */
export interface MadeApiKey extends NewSecret {
  /** The key itself: answered once, stored nowhere. */
  readonly key: string;
}

/** Everything use cases work with. Time and chance are among it, so that tests decide what they are. */
export interface IdentityParts {
  readonly organisations: Organisations;
  readonly members: Members;
  readonly clientGroups: ClientGroups;
  readonly apiKeys: ApiKeys;
  readonly auditLog: AuditLog;
  readonly credentials: Credentials;
  readonly keyUses: KeyUses;
  /** The areas that scopes may name. */
  readonly areas: ReadonlySet<string>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly newOrganisationId: () => string;
  readonly newApiKey: () => MadeApiKey;
}
