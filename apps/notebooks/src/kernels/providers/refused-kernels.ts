import { kernelsNotAllowed } from '../domain/errors.ts';
import type { KernelProvider } from '../domain/kernel-provider.ts';

/**
 * Kernels of a machine without a sandbox: whoever asks for one is told why there is none, before anything is reserved. Those in
 * which nothing of anybody runs remain, such as the one that looks whether a program is Python.
 */
export const refusedKernels = (provider: KernelProvider, reason: string): KernelProvider => ({
  ...provider,
  admit: () => Promise.reject(kernelsNotAllowed({ reason })),
  start: (wanted) =>
    wanted.organisationId === null ? provider.start(wanted) : Promise.reject(kernelsNotAllowed({ reason })),
});
