import { invalid, type Violation } from '@platform/core';
import type { Dataset } from '../domain/datasets/dataset.ts';
import type { DatasetReferences } from '../domain/datasets/datasets.ts';
import type { Kernels } from '../domain/kernels/kernel-job.ts';
import { graphViolations, inOrder, makersOf, stepGraph } from '../domain/pipelines/step-graph.ts';
import { sameName, type NewStep, type StepOrder } from '../domain/pipelines/step.ts';
import type { Column, RunStep, StepReport } from '../domain/steps/step-job.ts';

export interface CheckPorts {
  readonly datasets: DatasetReferences;
  readonly runStep: RunStep;
  /** Undefined where there are none. */
  readonly kernels: Pick<Kernels, 'findNotebook'> | undefined;
}

/** Steps that could run, with what each of them makes. */
export interface CheckedSteps {
  readonly steps: readonly NewStep[];
  readonly columns: ReadonlyMap<number, readonly Column[]>;
  /** By the references in the steps. */
  readonly datasets: ReadonlyMap<string, Dataset>;
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/**
 * Steps as a version may have them. INVALID, at the step and field: a circle, a dataset or notebook that is not there, a
 * query that is no SELECT or names columns that its inputs do not have.
 */
export async function checkSteps(
  ports: CheckPorts,
  organisationId: string,
  wanted: readonly NewStep[],
  order: StepOrder,
): Promise<CheckedSteps> {
  const references = new Set(wanted.flatMap(({ config }) => [...config.inputDatasets, ...config.outputDatasets]));
  const datasets = references.size === 0 ? new Map() : await ports.datasets.findMany(organisationId, [...references]);
  const named = withSameReferences(wanted, datasets);
  const hasKernels = ports.kernels !== undefined;
  const found = [...graphViolations(named, order, hasKernels), ...datasetViolations(named, datasets)];
  if (found.length > 0) throw invalid(found);
  const steps = await withNotebookIds(ports.kernels, organisationId, named);
  const columns = await plan(ports.runStep, steps, order, datasets);
  return { steps, columns, datasets };
}

/** What one step makes and another reads is called the same by both, though one may use its id and the other its name. */
function withSameReferences(steps: readonly NewStep[], datasets: ReadonlyMap<string, Dataset>): readonly NewStep[] {
  const made = new Map<string, string>();
  const idOf = (reference: string): string => datasets.get(reference)?.id ?? sameName(reference);
  for (const { config } of steps) for (const output of config.outputDatasets) made.set(idOf(output), output);
  return steps.map(({ name, config }) => ({
    name,
    config: { ...config, inputDatasets: config.inputDatasets.map((input) => made.get(idOf(input)) ?? input) },
  }));
}

/** Notebooks are renamed; those of a version stay the same. */
async function withNotebookIds(
  kernels: CheckPorts['kernels'],
  organisationId: string,
  steps: readonly NewStep[],
): Promise<readonly NewStep[]> {
  const references = steps.flatMap(({ config }) => (config.queryType === 'NOTEBOOK' ? config.query.trim() : []));
  const lookUp = async (reference: string) =>
    [reference, await kernels?.findNotebook(organisationId, reference)] as const;
  const ids = new Map(await Promise.all([...new Set(references)].map(lookUp)));
  const found: Violation[] = [];
  const changed = steps.map((step, place) => {
    const { config } = step;
    if (config.queryType !== 'NOTEBOOK') return step;
    const id = ids.get(config.query.trim());
    if (id !== undefined) return { ...step, config: { ...config, query: id } };
    found.push(violation(place, ['query'], 'there is no such notebook', config.query));
    return step;
  });
  if (found.length > 0) throw invalid(found);
  return changed;
}

const violation = (place: number, field: readonly (string | number)[], msg: string, input: string): Violation => ({
  type: 'value_error',
  loc: ['body', 'steps', place, 'config', ...field],
  msg: `Value error, ${msg}`,
  input,
});

function datasetViolations(steps: readonly NewStep[], datasets: ReadonlyMap<string, Dataset>): readonly Violation[] {
  const makers = makersOf(steps);
  return steps.flatMap(({ config }, place) => [
    ...config.inputDatasets.flatMap((input, index) => {
      if (makers.has(sameName(input))) return [];
      const dataset = datasets.get(input);
      if (!dataset) return [violation(place, ['input_datasets', index], 'there is no such dataset', input)];
      return dataset.currentVersion
        ? []
        : [violation(place, ['input_datasets', index], 'the dataset has no data yet', input)];
    }),
    ...config.outputDatasets.flatMap((output, index) =>
      UUID.test(output) && !datasets.has(output)
        ? [violation(place, ['output_datasets', index], 'there is no such dataset', output)]
        : [],
    ),
  ]);
}

/** What queries call a dataset. */
export const tableName = (reference: string, datasets: ReadonlyMap<string, Dataset>): string =>
  datasets.get(reference)?.name ?? reference;

/** Each step is planned with the columns of what it reads, so that mistakes show before there is any data. */
async function plan(
  runStep: RunStep,
  steps: readonly NewStep[],
  order: StepOrder,
  datasets: ReadonlyMap<string, Dataset>,
): Promise<ReadonlyMap<number, readonly Column[]>> {
  const makers = makersOf(steps);
  const planned = new Map<number, readonly Column[]>();
  const found: Violation[] = [];
  for (const place of inOrder(stepGraph(steps, order))) {
    const { config } = steps[place] as NewStep;
    if (config.queryType !== 'SQL') continue;
    const inputs = config.inputDatasets.map((input) => {
      const maker = makers.get(sameName(input));
      const columns = maker === undefined ? datasets.get(input)?.currentVersion?.columns : planned.get(maker);
      return { name: tableName(input, datasets), columns };
    });
    const known = inputs.flatMap(({ name, columns }) => (columns ? [{ name, columns }] : []));
    const report = await runStep(
      { kind: 'DESCRIBE', inputs: known, query: config.query, outputs: [], limits: PLANNING },
      { signal: AbortSignal.timeout(PLANNING_MS), onLog: () => undefined },
    );
    if (report.outcome === 'SUCCEEDED') planned.set(place, report.columns);
    // What follows a mistake, or a program, is SQL or not: more cannot be told.
    else if (known.length === inputs.length || SYNTACTIC.has(report.code)) {
      found.push(queryViolation(place, config.query, report));
    }
  }
  if (found.length > 0) throw invalid(found);
  return planned;
}

const SYNTACTIC: ReadonlySet<string> = new Set(['syntax', 'not_one_statement', 'not_a_select', 'parameters']);

const PLANNING_MS = 15_000;
const PLANNING = { memoryBytes: 128 * 2 ** 20, seconds: 10, threads: 1, outputBytes: 2 ** 20, rows: 0 };

const queryViolation = (place: number, query: string, { message, code, position }: StepReport): Violation => ({
  type: 'value_error',
  loc: ['body', 'steps', place, 'config', 'query'],
  msg: `Value error, ${message}`,
  input: query,
  ctx: { error: code, ...(position && { line: position.line, column: position.column }) },
});
