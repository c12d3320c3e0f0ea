import { kernelSpecNotFound } from '../domain/errors.ts';
import type { KernelProvider } from '../domain/kernel-provider.ts';
import { memoryOf } from './memory-of.ts';

/** The kernels of several providers as those of one; the first spec of the first one is the usual. */
export function severalKernels(providers: readonly KernelProvider[]): KernelProvider {
  return {
    name: [...new Set(providers.map(({ name }) => name))].join(', '),
    ...(providers[0]?.sandbox && { sandbox: providers[0].sandbox }),
    specs: async () => (await Promise.all(providers.map((one) => one.specs()))).flat(),
    async start(wanted) {
      const specs = await Promise.all(providers.map((one) => one.specs()));
      const provider = providers.find((_, at) => specs[at]?.some(({ name }) => name === wanted.spec));
      if (!provider) throw kernelSpecNotFound();
      return await provider.start(wanted);
    },
    memoryBytes: () => memoryOf(providers),
    async close() {
      await Promise.all(providers.map((one) => one.close()));
    },
  };
}
