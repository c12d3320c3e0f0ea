import type { KernelOwners } from '../domain/kernel-owners.ts';

/** To whom kernels belong, for all that are given the same one. */
export function ownersInMemory(): KernelOwners {
  const owners = new Map<string, string>();
  return {
    find: (shared) => Promise.resolve(owners.get(shared)),
    claim(shared, organisationId) {
      const owner = owners.get(shared) ?? organisationId;
      owners.set(shared, owner);
      return Promise.resolve(owner);
    },
  };
}
