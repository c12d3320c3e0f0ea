import type { Column } from './column.ts';
import type { CsvOptions, RejectedRows } from './csv.ts';

export type { Column } from './column.ts';

/**
 * TRANSFORM writes what its query selects. CHECK passes when its query selects nothing. INGEST and EXPORT write what
 * their query selects, or all of their only input; the first from any format, the second to any. DESCRIBE plans queries
 * without data. QUERY answers rows and writes nothing.
 */
export type StepKind = 'TRANSFORM' | 'CHECK' | 'INGEST' | 'EXPORT' | 'DESCRIBE' | 'QUERY';

export type FileFormat = 'parquet' | 'csv' | 'jsonl';

/**
 * `records`: JSON lines of which each has to be an object. `json`: an array of objects, or one. `document`: whatever JSON it is, as the one
 * value of a column `json`.
 */
export type InputFormat = FileFormat | 'records' | 'json' | 'document';

/** A table of the query, under this name: a file, which is Parquet unless said otherwise, or a table without rows. */
export type StepInput =
  | {
      readonly name: string;
      readonly file: string;
      readonly format?: InputFormat;
      readonly csv?: CsvOptions;
      /** Of JSON lines: all columns, where they are known; then there may be no line. Unless given they are found out. */
      readonly types?: readonly Column[];
    }
  | EmptyTable;

/** What is known by its columns alone. */
export interface EmptyTable {
  readonly name: string;
  readonly columns: readonly Column[];
}

/** A query to plan, over tables that are known by their columns, or as the result of a query before it in the same job. */
export interface DescribedQuery {
  readonly query: string;
  readonly tables: readonly (EmptyTable | { readonly name: string; readonly madeBy: number })[];
}

/** The plan alone, or how it went when it was carried out. */
export type QueryExplain = 'PLAN' | 'ANALYZED';

/** A part of the plan of a query, before those that it reads from. */
export interface PlanOperator {
  readonly name: string;
  /** 0 is what answers. */
  readonly depth: number;
  readonly estimatedRows: number | null;
  /** These two are null unless it was carried out. */
  readonly rows: number | null;
  readonly seconds: number | null;
  readonly details: Readonly<Record<string, string>>;
}

/** What became of planning a query; a table whose own query could not be planned is not there for it. */
export type QueryPlan = Pick<StepReport, 'outcome' | 'message' | 'code' | 'position' | 'columns'>;

export interface StepOutput {
  readonly name: string;
  readonly file: string;
  /** Parquet unless said otherwise. */
  readonly format?: FileFormat;
  /** Of Parquet: rows that stay beside the new ones. */
  readonly onto?: KeptRows;
}

/** What an output has already, in a Parquet file. */
export interface KeptRows {
  /** Null: nothing. */
  readonly file: string | null;
  /** Columns by which a new row takes the place of one of before; null: each is one more. */
  readonly keys: readonly string[] | null;
}

export interface StepLimits {
  /** Of the engine; its process holds about 200 MiB more. */
  readonly memoryBytes: number;
  readonly seconds: number;
  readonly threads: number;
  /** Of a file that is written, and of all rows that are answered. */
  readonly outputBytes: number;
  /** That are written; with more the step has failed. Any number unless given. */
  readonly outputRows?: number;
  /** That are answered; more are left out and `isCut` says so. */
  readonly rows: number;
}

/**
 * What a step does, as one program of ours does it wherever it runs. Where its tables are depends on who is told: the program
 * gets names within its own folder, who runs it on this machine names files, who asks for it keys of the object store, and a
 * pod has signed addresses.
 */
export interface StepJob<Input = StepInput, Output = StepOutput> {
  readonly kind: StepKind;
  readonly inputs: readonly Input[];
  /** Exactly one statement that selects. Empty: all of the only input. */
  readonly query: string;
  /** What its query has by `getvariable`. */
  readonly variables?: readonly SqlVariable[];
  /** Of QUERY: what is told in place of rows. */
  readonly explain?: QueryExplain;
  /** Of DESCRIBE, which has no other query. */
  readonly described?: readonly DescribedQuery[];
  /** Null: nothing is written. */
  readonly output: Output | null;
  readonly limits: StepLimits;
  /** Of which more jobs may follow: those of one may be done by one engine. Without it each has its own. */
  readonly chain?: JobChain;
}

/** A value that a query has by its name. It is bound, and never a part of the text of anything. */
export interface SqlVariable {
  readonly name: string;
  /** As DuckDB writes it. */
  readonly type: string;
  /** Is cast to that type. */
  readonly value: string | null;
}

/** Jobs of one run, which see each other's data anyway. */
export interface JobChain {
  readonly id: string;
  /** Whether another one may follow. */
  readonly goesOn: boolean;
}

/** What is to be known of a column of written data. */
export interface ColumnStatistics {
  readonly name: string;
  readonly nulls: number;
  /** Of many rows counted approximately, within a few percent. */
  readonly distinct: number;
  /** As text, cut; null where all is null or nothing can be compared. */
  readonly min: string | null;
  readonly max: string | null;
}

/** What is in an output that was written. */
export interface WrittenOutput {
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly Column[];
  readonly statistics: readonly ColumnStatistics[];
}

/** Plain JSON: numbers that JavaScript cannot hold exactly, times and decimals are text. */
export type Cell = null | boolean | number | string | readonly Cell[] | { readonly [name: string]: Cell };

/** Counted in characters, from 1. */
export interface QueryPosition {
  readonly line: number;
  readonly column: number;
}

export interface StepReport<Output = WrittenOutput> {
  /**
   * FAILED: the query, the data or the limits are to blame, and it would fail again. ERROR: the program was lost, which
   * says nothing about the step.
   */
  readonly outcome: 'SUCCEEDED' | 'FAILED' | 'ERROR';
  /** For people; empty when it succeeded. */
  readonly message: string;
  /** Stable: `syntax`, `unknown_column`, `unknown_table`, `unknown_function`, `not_a_select`, `check_failed`, `out_of_memory`, `timed_out`, `too_large`, ... */
  readonly code: string;
  /** Where in the query, as far as it is known. */
  readonly position?: QueryPosition;
  readonly output: Output | null;
  /** Of the result, whatever becomes of it. */
  readonly columns: readonly Column[];
  /** Of QUERY; of CHECK a sample of those that failed. */
  readonly rows: readonly (readonly Cell[])[];
  /** Whether there were more. */
  readonly isCut: boolean;
  /** Of the query itself, however it ended. */
  readonly seconds: number;
  /** Of what was read from a CSV, also where there are too many of them. */
  readonly rejected?: RejectedRows;
  /** Of a query that was to be explained. */
  readonly plan?: readonly PlanOperator[];
  /** Of DESCRIBE, one for each query, unless the job as a whole has failed. */
  readonly plans?: readonly QueryPlan[];
}

/** A report without output, rows and columns. */
export const emptyReport: StepReport<never> = {
  outcome: 'SUCCEEDED',
  message: '',
  code: '',
  output: null,
  columns: [],
  rows: [],
  isCut: false,
  seconds: 0,
};

export const failedReport = (code: string, message: string): StepReport<never> => ({
  ...emptyReport,
  outcome: 'FAILED',
  code,
  message,
});

export const missingInput = (reference: string): StepReport<never> =>
  failedReport('unknown_table', `The dataset ${reference} is not there`);

/** The rows of a report with the names of their columns. */
export const namedRows = ({
  columns,
  rows,
}: Pick<StepReport, 'columns' | 'rows'>): readonly Readonly<Record<string, Cell>>[] =>
  rows.map((row) => Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])));

export interface StepRun<Input = StepInput> {
  /** The program is gone within a second, and the promise is rejected with the signal's reason. */
  readonly signal: AbortSignal;
  readonly onLog: (line: string) => void;
  /** Told how long it has run, in seconds, also where it was stopped and nothing else is heard of it. */
  readonly onRan?: (seconds: number) => void;
  /** Where the tables are only found once it is known what the query calls them: then they take the place of the inputs. */
  readonly findInputs?: (tables: readonly string[]) => Promise<readonly Input[]>;
}

/** Where steps run: nothing of a step reaches anything but its inputs and its output. */
export type RunStep = (job: StepJob, run: StepRun) => Promise<StepReport>;

/** Where those of all organisations run, in turn: one that wants much waits for itself alone. */
export type RunStepFor = (organisationId: string) => RunStep;
