import { DomainError } from '@platform/core';
import type { InvoiceParts } from './invoice-parts.ts';

/**
 * Asks what an organisation is called and remembers it, for the invoices that are issued next. Answers the last name
 * heard of when nobody can say now, and null when none ever was: an invoice never waits for a name.
 */
export const learnOrganisationName =
  ({ nameDirectory, organisationNames, clock }: InvoiceParts) =>
  async (organisationId: string, requestId: string): Promise<string | null> => {
    const askedAt = clock.now();
    const name = await nameDirectory.nameOf(organisationId, requestId).catch((error: unknown) => {
      if (error instanceof DomainError) return null;
      throw error;
    });
    if (name === null) return organisationNames.lastKnown(organisationId);
    await organisationNames.remember(organisationId, name, askedAt);
    return name;
  };
