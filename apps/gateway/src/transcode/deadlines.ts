import type { Operation } from '@platform-backend/contract';

export interface Deadlines {
  /** Milliseconds, of every operation that is not told apart. */
  readonly deadlineMs: number;
  /** Of what only reads, which takes milliseconds unless the contract says otherwise. */
  readonly readDeadlineMs: number;
}

/**
 * How long the answer of an operation is waited for: a service that hangs costs whoever reads 2 s and not 10, and what may take longer says
 * so in the contract.
 */
export const deadlineOf =
  ({ deadlineMs, readDeadlineMs }: Deadlines) =>
  ({ http, deadlineMs: least = 0 }: Pick<Operation, 'deadlineMs'> & { readonly http?: { readonly verb: string } }) =>
    Math.max(http?.verb === 'GET' ? Math.min(readDeadlineMs, deadlineMs) : deadlineMs, least);
