import type { Clock } from '@platform-backend/core';
import type { LocalFolder } from '../../datasets/domain/dataset-files.ts';
import { MAX_FAILED_ROWS } from '../../step-engine/domain/limits.ts';
import {
  emptyReport,
  failedReport,
  type RunStep,
  type RunStepFor,
  type StepInput,
  type StepReport,
} from '../../step-engine/domain/step-job.ts';
import type { KernelInput, KernelJob, KernelJobReport, KernelRun, Kernels, ProgramJob } from '../domain/kernel-job.ts';
import type { KernelOutput, PostponedStep, RunKernelStep } from '../domain/kernel-step.ts';
import { FAILED_ROWS, MAX_ROW_BYTES } from '../domain/limits.ts';
import { pause } from './pause.ts';

export interface ProgramPorts {
  readonly runStepFor: RunStepFor;
  readonly kernels: Kernels;
  readonly clock: Clock;
}

/** A program over files of this machine. */
export type LocalProgram = ProgramJob<LocalInput, KernelOutput | null>;

/** What the program calls it, and the query that makes it of tables, which are Parquet; empty: all of the only one. */
export interface LocalInput {
  readonly name: string;
  readonly query: string;
  readonly tables: readonly { readonly name: string; readonly file: string }[];
}

/** Its output is the file `output` of the folder. Rejected when the signal is aborted. */
export type RunProgram = (
  organisationId: string,
  program: LocalProgram,
  folder: Pick<LocalFolder, 'newPath' | 'read' | 'append'>,
  run: Parameters<RunKernelStep>[2],
) => Promise<StepReport | PostponedStep>;

/** Of what turns rows into JSON lines and back. */
const CONVERTING = {
  memoryBytes: 512 * 2 ** 20,
  seconds: 300,
  threads: 2,
  outputBytes: MAX_ROW_BYTES,
  rows: MAX_FAILED_ROWS,
};

/** So long a kernel is waited for within the attempt: then that is lost, or leaves its slot to others. */
const TIMEOUT_MS = { AWAY: 10_000, FILL: 3_000 };
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 5_000;

type Run = Parameters<RunKernelStep>[2] & { readonly runStep: RunStep };

/**
 * Has programs run over data in kernels, which have no files: rows go there as JSON lines and come back as such, and the step
 * program makes them of Parquet and Parquet of them.
 */
export function kernelPrograms({ runStepFor, kernels, clock }: ProgramPorts): RunProgram {
  return async (organisationId, step, folder, programRun) => {
    const { signal, onLog } = programRun;
    // What turns rows into lines and back is not what somebody pays for.
    const run = { signal, onLog, runStep: runStepFor(organisationId) };
    const lines = await Promise.all(
      step.inputs.map((input, index) => asLines(input, folder.newPath(`rows-${index}`), folder, run)),
    );
    const unread = lines.find((one) => 'outcome' in one);
    if (unread) return unread;

    const name = step.output?.name ?? FAILED_ROWS;
    const written = folder.newPath('written');
    let bytes: number | undefined;
    const { program, parameters, limits } = step;
    const report = await whenThereIsOne(
      organisationId,
      { program, parameters, inputs: lines.filter((one) => 'read' in one), output: name, limits },
      {
        ...programRun,
        onRows: async (_output, piece) => {
          bytes = (bytes ?? 0) + piece.byteLength;
          if (piece.byteLength > 0) await folder.append(written, piece);
        },
      },
    );
    if (report.outcome === 'POSTPONED') return report;
    if (report.outcome !== 'SUCCEEDED') return { ...emptyReport, ...report };
    const made = { file: written, bytes };
    const kept = step.output
      ? await readRows(step.output, made, folder.newPath('output'), run)
      : await check(made, run);
    return { ...kept, seconds: report.seconds };
  };

  /** The rows of an input, or why they cannot be had. */
  async function asLines(
    { name, query, tables }: LocalInput,
    file: string,
    { read }: Pick<LocalFolder, 'read'>,
    run: Run,
  ): Promise<KernelInput | StepReport> {
    const output = { name, file, format: 'jsonl' } as const;
    const report = await run.runStep({ kind: 'EXPORT', inputs: tables, query, output, limits: CONVERTING }, run);
    if (report.outcome === 'SUCCEEDED') return { name, read: () => read(file) };
    const message =
      report.code === 'too_large'
        ? `${name} is larger than ${MEBIBYTES} MiB as JSON lines: filter or aggregate it by an SQL step first`
        : `${name} could not be read: ${report.message}`;
    return { ...report, message, seconds: 0 };
  }

  /** While notebooks are being replaced, or until a kernel of the organisation ends. */
  async function whenThereIsOne(
    organisationId: string,
    job: KernelJob,
    run: KernelRun,
  ): Promise<KernelJobReport | PostponedStep> {
    const since = clock.now().getTime();
    for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
      const report = await kernels.run(organisationId, job, run);
      if ('seconds' in report) return report;
      const { outcome, message } = report;
      if (clock.now().getTime() + wait - since > TIMEOUT_MS[outcome]) {
        if (outcome === 'FILL') return { outcome: 'POSTPONED', message };
        return { outcome: 'ERROR', code: 'no_kernel', message, seconds: 0 };
      }
      if (wait === FIRST_WAIT_MS) run.onLog(`waits for a kernel: ${message}`);
      await pause(wait, run.signal);
    }
  }

  async function readRows(
    { name, columns, rowLimit }: KernelOutput,
    { file, bytes }: Written,
    outputFile: string,
    run: Run,
  ): Promise<StepReport> {
    if (bytes === undefined)
      return failedReport('no_output', `It wrote nothing to ${name}: datasets.write("${name}", rows)`);
    if (bytes === 0 && columns.length === 0) {
      const message = `It wrote no rows to ${name}, whose columns are not known: the first version of a dataset needs one`;
      return failedReport('no_columns', message);
    }
    const input: StepInput = bytes === 0 ? { name, columns } : { name, file, format: 'records' };
    const output = { name, file: outputFile };
    const limits = { ...CONVERTING, ...(rowLimit !== null && { outputRows: rowLimit }) };
    const report = await run.runStep({ kind: 'INGEST', inputs: [input], query: '', output, limits }, run);
    if (report.output || report.code === 'too_many_rows') return report;
    return { ...report, message: unfit(name, report) };
  }

  async function check({ file, bytes = 0 }: Written, run: Run): Promise<StepReport> {
    if (bytes === 0) return emptyReport;
    const inputs = [{ name: FAILED_ROWS, file, format: 'records' }] as const;
    const report = await run.runStep({ kind: 'CHECK', inputs, query: '', output: null, limits: CONVERTING }, run);
    const message = report.code === 'check_failed' ? report.message : unfit(FAILED_ROWS, report);
    return { ...report, message };
  }
}

/** What the program wrote: bytes are undefined where it wrote nothing at all. */
interface Written {
  readonly file: string;
  readonly bytes: number | undefined;
}

const MEBIBYTES = MAX_ROW_BYTES / 2 ** 20;

/** What follows the first line is about the statement in which they were read. */
const unfit = (name: string, { message }: StepReport): string =>
  `What it wrote to ${name} cannot be read as rows: ${message.split('\n')[0] ?? ''}`;
