import type { KernelSpec } from '../../kernels/domain/kernel-provider.ts';

/**
 * The kind of kernel in which a notebook runs where the run names none: the one that the notebook names, if there is one of that name
 * and language; else the usual one, which is the first, if it has the notebook's language, or another one that has. Either may say nothing of
 * its language. Undefined: there is none.
 */
export function kernelOfLanguage(language: string, specs: readonly KernelSpec[], name = ''): KernelSpec | undefined {
  const [usual] = specs;
  const wanted = language.toLowerCase();
  const named = specs.find((spec) => spec.name === name);
  if (named && (wanted === '' || named.language === '' || named.language.toLowerCase() === wanted)) return named;
  if (wanted === '' || usual?.language === '') return usual;
  return specs.find((spec) => spec.language.toLowerCase() === wanted);
}
