import { invalid, type Clock } from '@platform-backend/core';
import type { DatasetFiles, LocalFolder } from '../../datasets/domain/dataset-files.ts';
import { namedRows, type Column, type SqlVariable, type StepReport } from '../../step-engine/domain/step-job.ts';
import { sqlVariables, startValues, type ParameterValues } from '../domain/parameters.ts';
import { inOrder, stepGraph } from '../domain/step-graph.ts';
import { programOf, type NewStep, type QueryType, type StepsInput, type StepStatus } from '../domain/step.ts';
import { checkSteps, type CheckedSteps, type CheckPorts } from './check-steps.ts';
import type { RunProgram } from './kernel-programs.ts';
import { sampleQueries, tableName, type SampleQuery } from './sample-queries.ts';

export interface TriedStep {
  readonly name: string;
  readonly status: StepStatus;
  readonly message: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Readonly<Record<string, never>>[];
}

/** Whoever waits for the answer. */
export interface Trial {
  readonly signal: AbortSignal;
  readonly deadline: Date | undefined;
}

export type TrySteps = (
  organisationId: string,
  wanted: StepsInput & { readonly parameterValues?: ParameterValues },
  sampleRows: number,
  trial: Trial,
) => Promise<readonly TriedStep[]>;

export interface TryPorts extends CheckPorts {
  readonly files: Pick<DatasetFiles, 'withFolder'>;
  /** Undefined where there are no kernels. */
  readonly runProgram: RunProgram | undefined;
  readonly clock: Clock;
}

const STATUS_OF = { SUCCEEDED: 'Succeeded', FAILED: 'Failed', ERROR: 'Error' } as const;
const SHOWN_ROWS = 20;
const LIMITS = { memoryBytes: 512 * 2 ** 20, seconds: 20, threads: 1, outputBytes: 2 ** 20, rows: SHOWN_ROWS };
/** More than the kernels that are kept warm have would be waited for. */
const MAX_KERNEL_MEMORY_MB = 512;
/** Of all steps together. */
const TIMEOUT_MS = 25_000;
/** Within which the answer comes to whoever waits. */
const ANSWERING_MS = 1_000;

/**
 * Carries steps out on the first rows of what they read from outside, and keeps nothing. What is SQL is one query, in which those
 * before it are written out; a program runs in a kernel of its own, and what it made is a file while the trial lasts.
 */
export const trySteps =
  (ports: TryPorts): TrySteps =>
  async (organisationId, { parameterValues, ...wanted }, sampleRows, { signal, deadline }) => {
    const { stepOrder, parameters = [] } = wanted;
    const checked = await checkSteps(ports, organisationId, wanted);
    const { values, violations } = startValues(parameters, parameterValues ?? {}, ['parameter_values']);
    if (violations.length > 0) throw invalid(violations);
    const left = deadline ? deadline.getTime() - ports.clock.now().getTime() - ANSWERING_MS : TIMEOUT_MS;
    const late = AbortSignal.timeout(Math.max(0, Math.min(left, TIMEOUT_MS)));
    return ports.files.withFolder(async (folder) => {
      const trying = {
        ...{ organisationId, checked, sampleRows, folder, signal: AbortSignal.any([signal, late]) },
        ...{ values, variables: sqlVariables(parameters, values) },
      };
      const tryOne = stepTrial(ports, trying);
      const graph = stepGraph(checked.steps, stepOrder);
      const tried = new Map<number, TriedStep>();
      for (const stepIndex of inOrder(graph)) {
        const isLost =
          late.aborted || (graph[stepIndex] ?? []).some((other) => tried.get(other)?.status !== 'Succeeded');
        // It leaves nothing behind, here or elsewhere.
        const untried = UNTRIED[checked.steps[stepIndex]?.config.queryType ?? 'SQL'];
        if (untried !== undefined) tried.set(stepIndex, { ...omitted(checked, stepIndex), message: untried });
        else tried.set(stepIndex, isLost ? omitted(checked, stepIndex) : await tryOne(stepIndex));
      }
      return checked.steps.map((_, stepIndex) => tried.get(stepIndex) as TriedStep);
    });
  };

const UNTRIED: Partial<Record<QueryType, string>> = {
  HTTP: 'A dry run calls nobody',
  LLM: 'A dry run asks no language model',
  PIPELINE: 'A dry run starts no other run',
};

const omitted = ({ steps, columns }: CheckedSteps, stepIndex: number): TriedStep => ({
  name: (steps[stepIndex] as NewStep).name,
  status: 'Omitted',
  message: '',
  columns: columns.get(stepIndex) ?? [],
  rows: [],
});

interface Trying {
  readonly organisationId: string;
  readonly checked: CheckedSteps;
  readonly sampleRows: number;
  readonly folder: LocalFolder;
  readonly signal: AbortSignal;
  readonly values: ParameterValues;
  readonly variables: readonly SqlVariable[];
}

type Shown = Pick<StepReport, 'columns' | 'rows' | 'message'> & { readonly status: StepStatus };

/** One step after those that it waits for. */
function stepTrial(ports: TryPorts, trying: Trying) {
  const { organisationId, checked, sampleRows, folder, signal, values, variables } = trying;
  const { steps, columns, datasets } = checked;
  const samples = sampleQueries(checked, sampleRows);
  const made = new Map<number, string>();
  const brought = new Map<string, Promise<string>>();
  const run = { signal, onLog: () => undefined };
  const runStep = ports.runStepFor(organisationId);

  return async (stepIndex: number): Promise<TriedStep> => {
    const { name, config } = steps[stepIndex] as NewStep;
    const shown = await (config.queryType === 'SQL' ? trySql(stepIndex) : tryProgram(stepIndex)).catch(
      (error: unknown): Shown => {
        if (!signal.aborted) throw error;
        return { status: 'Failed', message: 'It takes longer than there is time for a dry run', columns: [], rows: [] };
      },
    );
    const { status, message } = shown;
    const known = shown.columns.length > 0 ? shown.columns : (columns.get(stepIndex) ?? []);
    return { name, status, message, columns: known, rows: namedRows(shown) as TriedStep['rows'] };
  };

  async function trySql(stepIndex: number): Promise<Shown> {
    const { query, tables } = samples.ofStep(stepIndex);
    const kind = (steps[stepIndex] as NewStep).config.jobType === 'CHECK' ? 'CHECK' : 'QUERY';
    const inputs = await filesOf(tables);
    return shownOf(await runStep({ kind, query, variables, inputs, output: null, limits: LIMITS }, run));
  }

  async function tryProgram(stepIndex: number): Promise<Shown> {
    const { config } = steps[stepIndex] as NewStep;
    const [output] = config.outputDatasets;
    const inputs = config.inputDatasets.map(async (input) => {
      const { query, tables } = samples.ofInput(input);
      return { name: tableName(input, datasets), query, tables: await filesOf(tables) };
    });
    const program = {
      program: programOf(config),
      parameters: { ...config.parameters, ...values },
      inputs: await Promise.all(inputs),
      output: output === undefined ? null : outputOf(output),
      limits: {
        seconds: Math.min(config.timeLimitSeconds, LIMITS.seconds),
        memoryMb: Math.min(config.memoryLimitMb, MAX_KERNEL_MEMORY_MB),
      },
    };
    const own = { ...folder, newPath: (file: string) => folder.newPath(`${stepIndex}-${file}`) };
    if (!ports.runProgram) throw new Error('programs are checked where there are no kernels');
    const report = await ports.runProgram(organisationId, program, own, run);
    if (report.outcome === 'POSTPONED') {
      return { status: 'Error', message: `There is no kernel for it now: ${report.message}`, columns: [], rows: [] };
    }
    if (!report.output) return shownOf(report);
    const rows = { name: 'made', file: own.newPath('output') };
    made.set(stepIndex, rows.file);
    return shownOf(await runStep({ kind: 'QUERY', query: '', inputs: [rows], output: null, limits: LIMITS }, run));
  }

  function outputOf(reference: string) {
    const columnsNow = datasets.get(reference)?.currentVersion?.columns ?? [];
    return { name: tableName(reference, datasets), columns: columnsNow, rowLimit: null };
  }

  function filesOf(tables: SampleQuery['tables']) {
    return Promise.all(
      tables.map(async (table) => {
        const file = 'madeBy' in table ? made.get(table.madeBy) : await bring(table.reference);
        if (file === undefined) throw new Error(`${table.name} is not there`);
        return { name: table.name, file };
      }),
    );
  }

  function bring(reference: string): Promise<string> {
    const objectKey = datasets.get(reference)?.currentVersion?.objectKey ?? '';
    const file = brought.get(objectKey) ?? folder.bring(objectKey, signal);
    brought.set(objectKey, file);
    return file;
  }
}

const shownOf = ({ outcome, message, columns, rows }: StepReport): Shown => ({
  status: STATUS_OF[outcome],
  message,
  columns,
  rows,
});
