import { DomainError, type Clock } from '@platform-backend/core';
import type { OrganisationNames } from '../domain/invoices.ts';

export interface NamePorts {
  readonly organisationNames: OrganisationNames;
  readonly nameDirectory: NameDirectory;
  readonly clock: Clock;
}

/** Identity, which knows what organisations are called. */
export interface NameDirectory {
  /** NOT_FOUND: there is no such organisation any more. UNAVAILABLE or DEADLINE_EXCEEDED: nobody can say now. */
  nameOf(organisationId: string, requestId: string): Promise<string>;
}

/**
 * Asks what an organisation is called and remembers it, for the invoices that are issued next. Answers the last name
 * heard of when nobody can say now, and null when none ever was: an invoice never waits for a name.
 */
export async function learnOrganisationName(
  { nameDirectory, organisationNames, clock }: NamePorts,
  organisationId: string,
  requestId: string,
): Promise<string | null> {
  const askedAt = clock.now();
  const name = await nameDirectory.nameOf(organisationId, requestId).catch((error: unknown) => {
    if (error instanceof DomainError) return null;
    throw error;
  });
  if (name === null) return organisationNames.lastKnown(organisationId);
  await organisationNames.remember(organisationId, name, askedAt);
  return name;
}
