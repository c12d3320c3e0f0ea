import type { Clock } from '@platform/core';
import type { OrganisationNames } from '../../domain/invoices/invoices.ts';
import type { OrganisationDirectory } from '../subscriptions/organisation-directory.ts';

/** The directory, whose answers say what organisations are called: subscriptions need not ask for it again. */
export const rememberingNames = (
  directory: OrganisationDirectory,
  names: OrganisationNames,
  clock: Clock,
): OrganisationDirectory => ({
  async applyPlan(report) {
    const askedAt = clock.now();
    const name = await directory.applyPlan(report);
    await names.remember(report.organisationId, name, askedAt);
    return name;
  },
  get: (organisationId, requestId) => directory.get(organisationId, requestId),
});
