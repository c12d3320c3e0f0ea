import { noSandbox } from '../domain/errors.ts';
import type { KernelProvider } from '../domain/kernel-provider.ts';

/**
 * Kernels without a sandbox reach whatever the service reaches, and with it everybody's things. They are for the
 * organisation that is the first to start one, as long as the process lives, and for nobody else.
 */
export function forOneOrganisation(provider: KernelProvider): KernelProvider {
  let only: string | undefined;
  const admit = (organisationId: string): void => {
    if (only === undefined || only === organisationId) return;
    throw noSandbox();
  };
  return {
    ...provider,
    admit,
    async start(wanted) {
      const { organisationId } = wanted;
      if (organisationId !== null) {
        admit(organisationId);
        only = organisationId;
      }
      return provider.start(wanted);
    },
  };
}
