import type { CreditTransaction, CreditTransactionFilter } from '../../domain/credits/ledger.ts';
import type { Page, PageRequest } from '@platform/core';
import type { CreditParts } from './credit-parts.ts';

/** The ledger of an organisation, newest first. */
export const listCreditTransactions =
  ({ credits }: CreditParts) =>
  (organisationId: string, filter: CreditTransactionFilter, page: PageRequest): Promise<Page<CreditTransaction>> =>
    credits.listTransactions(organisationId, filter, page);
