import type { Acting } from '../../domain/acting.ts';
import type { ApiKey } from '../../domain/api-keys/api-key.ts';
import { includesLevel } from '../../domain/members/permission-level.ts';
import type { Page, PageRequest } from '@platform/core';
import type { IdentityParts } from '../identity-parts.ts';

/** The caller's own keys; with level ADMIN every key of the organisation. */
export const listApiKeys =
  ({ apiKeys }: IdentityParts) =>
  ({ organisationId, actor }: Acting, page: PageRequest): Promise<Page<ApiKey>> =>
    apiKeys.list(organisationId, includesLevel(actor.level, 'ADMIN') ? undefined : (actor.userId ?? ''), page);
