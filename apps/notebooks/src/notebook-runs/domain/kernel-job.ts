import { beginningOf } from '@platform-backend/core';
import type { Parameters } from './parameters.ts';

/** What another service has run. */
export interface KernelJob {
  readonly program: { readonly code: string } | { readonly notebookId: string };
  readonly parameters: Parameters;
  /** Names of datasets that it reads, and of those that it may write. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly timeLimitSeconds: number;
  /** Undefined for the usual one. */
  readonly memoryBytes: number | undefined;
}

/** A piece of a dataset: JSON lines, cut anywhere. */
export interface JobRows {
  readonly dataset: string;
  readonly chunk: Uint8Array;
  readonly isLast: boolean;
}

export type JobFailureCode = 'exception' | 'timed_out' | 'out_of_memory' | 'too_large' | 'died';

export interface JobFailure {
  readonly code: JobFailureCode;
  readonly message: string;
  /** Of the cell, in the notebook; null when it failed in none. */
  readonly cellIndex: number | null;
}

/** What comes of a job, in this order: that it begins, what it prints, what it has written, its end. */
export type JobAnswer =
  | { readonly started: Readonly<Record<string, never>> }
  | { readonly log: { readonly text: string; readonly isError: boolean } }
  | { readonly rows: JobRows }
  | { readonly finished: { readonly failure: JobFailure | undefined; readonly seconds: number } };

/** Of each dataset, as JSON lines. */
export const maxDatasetBytes = 64 * 1024 * 1024;

export const datasetTooLarge = (name: string): JobFailure => ({
  code: 'too_large',
  message: `The dataset ${name} has more than 64 MiB as JSON lines: filter or aggregate it by an SQL step first`,
  cellIndex: null,
});

const MAX_MESSAGE = 2_000;
/** What the last answer of a kernel is called. */
const DEAD_KERNEL = 'DeadKernelError';

/** The program has raised an exception of this name, or a kernel that ended has said by it why. */
export const exceptionFailure = (name: string, text: string, cellIndex: number | null): JobFailure =>
  name === DEAD_KERNEL
    ? goneFailure(text, cellIndex)
    : {
        code: name === 'MemoryError' ? 'out_of_memory' : 'exception',
        message: beginningOf(`${name}: ${text}`, MAX_MESSAGE),
        cellIndex,
      };

/** The kernel has ended before the program, for this reason. */
export const goneFailure = (reason: string, cellIndex: number | null): JobFailure => ({
  code: /memory/i.test(reason) ? 'out_of_memory' : 'died',
  message: beginningOf(`The kernel has ended: ${reason}`, MAX_MESSAGE),
  cellIndex,
});

export const timedOut = (seconds: number, cellIndex: number | null): JobFailure => ({
  code: 'timed_out',
  message: `The program ran for more than ${seconds} s`,
  cellIndex,
});
