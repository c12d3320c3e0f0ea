import type { Cell, QueryPosition, StepReport } from '../../step-engine/domain/step-job.ts';

/** Python, or a notebook by its id, as it is when the job begins. */
export type KernelProgram = { readonly code: string } | { readonly notebookId: string };

/** Variables of a program, by their names. */
export type KernelParameters = Readonly<Record<string, Cell>>;

/** Rows as JSON lines. */
export interface KernelInput {
  readonly name: string;
  readonly read: () => AsyncIterable<Uint8Array>;
}

/** A program, and what it may read and write by these names. As of a StepJob, where its rows are depends on who is told. */
export interface ProgramJob<Input, Output> {
  readonly program: KernelProgram;
  readonly parameters: KernelParameters;
  readonly inputs: readonly Input[];
  readonly output: Output;
  readonly limits: KernelLimits;
}

/** What runs to its end in a kernel of its own, which shares nothing with anything: rows go in and come out as bytes. */
export type KernelJob = ProgramJob<KernelInput, string>;

export interface KernelLimits {
  /** Of the program alone. */
  readonly seconds: number;
  readonly memoryMb: number;
}

/**
 * As of a step: FAILED is the fault of the program or the limits. `code`: `exception`, `timed_out`, `out_of_memory`,
 * `too_large`, `not_found`, ...
 */
export type KernelJobReport = Pick<StepReport, 'outcome' | 'code' | 'message' | 'seconds'>;

/** No kernel was to be had, which may be otherwise in a moment: they are AWAY, or the organisation has its FILL of them. */
export interface NoKernel {
  readonly outcome: 'AWAY' | 'FILL';
  readonly message: string;
}

export interface KernelRun {
  /** The kernel ends soon after, and the promise is rejected with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onLog: (line: string) => void;
  /** Told how long the program has run, in seconds, also where it was stopped. */
  readonly onRan?: (seconds: number) => void;
  /** A piece of an output, after the program has ended well: JSON lines, cut anywhere. */
  readonly onRows: (output: string, piece: Uint8Array) => Promise<void>;
}

/** Why and where a program is no Python that a kernel takes. */
export interface ProgramError {
  /** The index of the program among those that were checked. */
  readonly program: number;
  /** The index of the cell in its notebook, from 0; null for code, and for a mistake in the parameters. */
  readonly cell: number | null;
  readonly message: string;
  /** In the code or the cell; undefined where that is not known. */
  readonly position: QueryPosition | undefined;
}

/** Notebooks of an organisation, and kernels for its programs. */
export interface Kernels {
  readonly run: (organisationId: string, job: KernelJob, run: KernelRun) => Promise<KernelJobReport | NoKernel>;
  /** NOT_PROVIDED: none is for this organisation. Where nobody can tell now it resolves, and steps wait for their kernel. */
  readonly checkAccess: (organisationId: string) => Promise<void>;
  /** The id of the notebook that has this id or name; undefined: there is none. UNAVAILABLE: nobody can tell now. */
  readonly findNotebook: (organisationId: string, reference: string) => Promise<string | undefined>;
  /**
   * What is wrong with programs before any of them runs, the first of each. A program that cannot be judged is none of them.
   * UNAVAILABLE: nobody can tell now.
   */
  readonly check: (
    organisationId: string,
    programs: readonly Pick<KernelJob, 'program' | 'parameters'>[],
  ) => Promise<readonly ProgramError[]>;
}
