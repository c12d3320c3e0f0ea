import { DomainError } from '@platform-backend/core';
import type { KernelProvider } from '../domain/kernels/kernel-provider.ts';

/**
 * Kernels without a sandbox reach whatever the service reaches, and with it everybody's things. They are for the
 * organisation that is the first to start one, as long as the process lives, and for nobody else.
 */
export function forOneOrganisation(provider: KernelProvider): KernelProvider {
  let only: string | undefined;
  return {
    ...provider,
    start(wanted) {
      only ??= wanted.organisationId;
      if (only === wanted.organisationId) return provider.start(wanted);
      const message = 'Kernels have no sandbox here, and another organisation uses them';
      return Promise.reject(
        new DomainError({ kind: 'unavailable', code: 'no_sandbox', message, retryAfterSeconds: 3600 }),
      );
    },
  };
}
