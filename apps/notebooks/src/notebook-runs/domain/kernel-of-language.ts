import type { KernelSpec } from '../../kernels/domain/kernel-provider.ts';

/**
 * The kind of kernel in which a notebook runs where none is named: the usual one, which is the first, if it has the notebook's language, or
 * another one that has. Either may say nothing of its language. Undefined: there is none.
 */
export function kernelOfLanguage(language: string, specs: readonly KernelSpec[]): KernelSpec | undefined {
  const [usual] = specs;
  const wanted = language.toLowerCase();
  if (wanted === '' || usual?.language === '') return usual;
  return specs.find((spec) => spec.language.toLowerCase() === wanted);
}
