import type { DomainError } from './domain-error.ts';
import { storageFull, tooManyOpenFiles } from './errors.ts';

const ERRORS: Readonly<Record<string, (cause: unknown) => DomainError>> = {
  ENOSPC: (cause) => storageFull({ cause }),
  EDQUOT: (cause) => storageFull({ cause }),
  EMFILE: (cause) => tooManyOpenFiles({ cause }),
  ENFILE: (cause) => tooManyOpenFiles({ cause }),
};

/** Errors are causes of errors; deeper than this there is nothing new. */
const MAX_DEPTH = 5;

/**
 * What an error of the system means to a caller, where this machine has run out of something that it may have again later:
 * no defect, and no fault of the caller. Undefined for every other error.
 */
export function exhaustionOf(error: unknown, depth = 0): DomainError | undefined {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return undefined;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  const known = typeof code === 'string' && Object.hasOwn(ERRORS, code) ? ERRORS[code] : undefined;
  return known ? known(error) : exhaustionOf(cause, depth + 1);
}
