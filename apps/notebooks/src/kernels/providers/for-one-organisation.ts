import { expiringCache } from '@platform-backend/core';
import { noSandbox } from '../domain/errors.ts';
import type { KernelOwners } from '../domain/kernel-owners.ts';
import type { KernelProvider } from '../domain/kernel-provider.ts';

/** So long others are still refused after the organisation is gone that the kernels belonged to. */
const KNOWN_MS = 30_000;

/**
 * Kernels without a sandbox reach whatever the service reaches, and with it everybody's things; those of a server elsewhere share
 * its files and its account. They are for the organisation that is the first to start one, in whichever replica, and for
 * nobody else as long as there is that organisation. `shared` says what they share.
 */
export function forOneOrganisation(provider: KernelProvider, shared: string, owners: KernelOwners): KernelProvider {
  const known = expiringCache<string>({ maxEntries: 1 });
  const remembered = (owner: string): string => {
    known.set(shared, owner, Date.now() + KNOWN_MS);
    return owner;
  };
  const requireOwner = (owner: string | undefined, organisationId: string): void => {
    if (owner !== undefined && owner !== organisationId) throw noSandbox();
  };
  return {
    ...provider,
    async admit(organisationId) {
      const owner = known.get(shared) ?? (await owners.find(shared));
      if (owner !== undefined) remembered(owner);
      requireOwner(owner, organisationId);
    },
    async start(wanted) {
      const { organisationId } = wanted;
      if (organisationId !== null)
        requireOwner(known.get(shared) ?? remembered(await owners.claim(shared, organisationId)), organisationId);
      return provider.start(wanted);
    },
  };
}
