import type { CreditGrant } from '../../domain/credits/credit-grant.ts';
import type { Page, PageRequest } from '@platform/core';
import type { CreditParts } from './credit-parts.ts';

/** Credits received, newest first, with what is left of each. */
export const listCreditGrants =
  ({ credits }: CreditParts) =>
  (organisationId: string, page: PageRequest): Promise<Page<CreditGrant>> =>
    credits.listGrants(organisationId, page);
