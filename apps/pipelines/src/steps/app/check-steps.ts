import { invalid, isUuid, type Violation } from '@platform-backend/core';
import type { Dataset } from '../../datasets/domain/dataset.ts';
import type { DatasetReferences } from '../../datasets/domain/datasets.ts';
import type {
  Column,
  DescribedQuery,
  QueryPlan,
  RunStep,
  RunStepFor,
  SqlVariable,
} from '../../step-engine/domain/step-job.ts';
import type { Kernels } from '../domain/kernel-job.ts';
import { addedColumns, plannedQuery, unknownColumn, usualLlmSettings } from '../domain/llm-settings.ts';
import type { LanguageModels } from '../domain/llm-step.ts';
import { declarationViolations, sqlVariables, type Parameter } from '../domain/parameters.ts';
import { keptCondition, namesIn } from '../domain/step-conditions.ts';
import { graphViolations, inOrder, makersOf, stepGraph } from '../domain/step-graph.ts';
import { configViolation } from '../domain/step-violation.ts';
import { sameName, type NewStep, type StepConfig, type StepsInput } from '../domain/step.ts';
import { llmViolations } from './check-llm-steps.ts';
import { programViolations, withNotebookIds } from './check-programs.ts';
import { tableName } from './sample-queries.ts';

export interface CheckPorts {
  readonly datasets: DatasetReferences;
  readonly runStepFor: RunStepFor;
  /** Undefined where there are none. */
  readonly kernels: Pick<Kernels, 'findNotebook' | 'check'> | undefined;
  /** Undefined where nobody has said where content is. */
  readonly languageModels: Pick<LanguageModels, 'check'> | undefined;
  /** Why an HTTP step may not call it, as far as that can be seen. */
  readonly urlRefusal: (url: string) => string | undefined;
}

/** Steps that could run, with what each of them makes. */
export interface CheckedSteps {
  readonly steps: readonly NewStep[];
  readonly columns: ReadonlyMap<number, readonly Column[]>;
  /** By the references in the steps. */
  readonly datasets: ReadonlyMap<string, Dataset>;
}

/**
 * Steps as a version may have them. INVALID, at the step and field: a circle, a dataset or notebook that is not there, a
 * query that is no SELECT or names columns that its inputs do not have, a program that is no Python.
 */
export async function checkSteps(
  ports: CheckPorts,
  organisationId: string,
  { steps: wanted, stepOrder: order, parameters = [] }: StepsInput,
): Promise<CheckedSteps> {
  const undeclared = declarationViolations(parameters);
  if (undeclared.length > 0) throw invalid(undeclared);
  const references = new Set(
    wanted.flatMap(({ config }) => [
      ...config.inputDatasets,
      ...config.outputDatasets,
      ...namesIn(config.when, 'ROW_COUNT'),
    ]),
  );
  const datasets = await ports.datasets.findMany(organisationId, [...references]);
  const named = withSameReferences(wanted, datasets, parameters);
  const hasKernels = ports.kernels !== undefined;
  const found = [
    ...graphViolations(named, order, hasKernels, parameters),
    ...datasetViolations(named, datasets),
    ...urlViolations(named, ports),
  ];
  if (found.length > 0) throw invalid(found);
  const steps = await withNotebookIds(ports.kernels, organisationId, named);
  const [planned, programs, prompts] = await Promise.all([
    plan(ports.runStepFor(organisationId), { steps, stepOrder: order, parameters }, datasets),
    programViolations(ports.kernels, organisationId, steps, parameters),
    llmViolations(ports.languageModels, organisationId, steps),
  ]);
  const wrong = [...planned.found, ...programs, ...prompts];
  if (wrong.length > 0) throw invalid(wrong);
  return { steps, columns: planned.columns, datasets };
}

/** What one step makes and another reads is called the same by both, though one may use its id and the other its name. */
function withSameReferences(
  steps: readonly NewStep[],
  datasets: ReadonlyMap<string, Dataset>,
  parameters: readonly Parameter[],
): readonly NewStep[] {
  const made = new Map<string, string>();
  const idOf = (reference: string): string => datasets.get(reference)?.id ?? sameName(reference);
  for (const { config } of steps) for (const output of config.outputDatasets) made.set(idOf(output), output);
  return steps.map(({ name, config }) => {
    const inputDatasets = config.inputDatasets.map((input) => made.get(idOf(input)) ?? input);
    const inputNamed = (reference: string): string =>
      inputDatasets.find((input) => idOf(input) === idOf(reference)) ?? reference;
    return { name, config: { ...config, inputDatasets, when: keptCondition(config.when, parameters, inputNamed) } };
  });
}

function datasetViolations(steps: readonly NewStep[], datasets: ReadonlyMap<string, Dataset>): readonly Violation[] {
  const makers = makersOf(steps);
  return steps.flatMap(({ config }, stepIndex) => [
    ...config.inputDatasets.flatMap((input, index) => {
      if (makers.has(sameName(input))) return [];
      const dataset = datasets.get(input);
      if (!dataset) return [configViolation(stepIndex, ['input_datasets', index], 'there is no such dataset', input)];
      return dataset.currentVersion
        ? []
        : [configViolation(stepIndex, ['input_datasets', index], 'the dataset has no data yet', input)];
    }),
    ...config.outputDatasets.flatMap((output, index) =>
      isUuid(output) && !datasets.has(output)
        ? [configViolation(stepIndex, ['output_datasets', index], 'there is no such dataset', output)]
        : [],
    ),
  ]);
}

const urlViolations = (steps: readonly NewStep[], { urlRefusal }: CheckPorts): readonly Violation[] =>
  steps.flatMap(({ config: { queryType, query } }, stepIndex) => {
    const refusal = queryType === 'HTTP' ? urlRefusal(query) : undefined;
    return refusal === undefined ? [] : [configViolation(stepIndex, ['query'], refusal, query)];
  });

/** Each step is planned with the columns of what it reads, so that mistakes show before there is any data. */
async function plan(
  runStep: RunStep,
  { steps, stepOrder: order, parameters = [] }: StepsInput,
  datasets: ReadonlyMap<string, Dataset>,
): Promise<{ readonly columns: ReadonlyMap<number, readonly Column[]>; readonly found: readonly Violation[] }> {
  const makers = makersOf(steps);
  const stepIndexes = inOrder(stepGraph(steps, order)).filter((stepIndex) =>
    isPlanned((steps[stepIndex] as NewStep).config),
  );
  const positions = new Map(stepIndexes.map((stepIndex, position) => [stepIndex, position]));
  const queries = stepIndexes.map((stepIndex): DescribedQuery => {
    const { queryType, query, llm, inputDatasets } = (steps[stepIndex] as NewStep).config;
    const tables = inputDatasets.flatMap((input): DescribedQuery['tables'] => {
      const name = tableName(input, datasets);
      const maker = makers.get(sameName(input));
      const madeBy = maker === undefined ? undefined : positions.get(maker);
      if (madeBy !== undefined) return [{ name, madeBy }];
      const columns = maker === undefined ? datasets.get(input)?.currentVersion?.columns : undefined;
      return columns ? [{ name, columns }] : [];
    });
    if (queryType === 'SQL') return { query, tables };
    const [input] = inputDatasets;
    const rows = input === undefined ? undefined : tableName(input, datasets);
    return { query: plannedQuery(llm ?? usualLlmSettings, rows), tables };
  });
  const plans = await describe(runStep, queries, sqlVariables(parameters, {}));
  const planned = new Map<number, readonly Column[]>();
  const found: Violation[] = [];
  for (const [position, stepIndex] of stepIndexes.entries()) {
    const [{ config }, { tables }, told] = [steps[stepIndex], queries[position], plans[position]] as [
      NewStep,
      DescribedQuery,
      QueryPlan,
    ];
    const isComplete = tables.every((table) => 'columns' in table || plans[table.madeBy]?.outcome === 'SUCCEEDED');
    if (told.outcome === 'SUCCEEDED') {
      planned.set(stepIndex, told.columns);
      if (config.queryType === 'LLM') found.push(...promptViolations(stepIndex, config, told.columns));
      found.push(...outputViolations(stepIndex, config, told.columns, datasets));
    }
    // What follows a mistake, or a program, is SQL or not: more cannot be told.
    else if ((isComplete && tables.length === config.inputDatasets.length) || SYNTACTIC.has(told.code)) {
      found.push(queryViolation(stepIndex, config.query, told));
    }
  }
  return { columns: planned, found };
}

/** What makes columns that are known before it is carried out. */
const isPlanned = ({ queryType }: StepConfig): boolean => queryType === 'SQL' || queryType === 'LLM';

/** Of a step whose rows have these columns, and beside them those of the answer. */
function promptViolations(
  stepIndex: number,
  { query, llm, inputDatasets }: StepConfig,
  columns: readonly Column[],
): Violation[] {
  const added = addedColumns(llm ?? usualLlmSettings);
  const rows =
    inputDatasets.length === 0 ? [] : columns.slice(0, columns.length - added.length).map(({ name }) => name);
  const there = new Set(rows.map((name) => name.toLowerCase()));
  const found = added
    .filter(({ name }) => there.has(name.toLowerCase()))
    .map(({ name }) => configViolation(stepIndex, ['llm'], `the rows have a column ${name} already`, name));
  const unknown = inputDatasets.length === 0 ? undefined : unknownColumn(query, rows);
  if (unknown === undefined) return found;
  return [...found, configViolation(stepIndex, ['query'], `the rows have no column ${unknown}`, unknown)];
}

/** What a step adds to a dataset has its columns, and those that it is merged by. */
function outputViolations(
  stepIndex: number,
  { mergeKeys, outputMode, outputDatasets: [output = ''] }: StepConfig,
  columns: readonly Column[],
  datasets: ReadonlyMap<string, Dataset>,
): Violation[] {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  const found = mergeKeys.flatMap((key, index) =>
    names.has(key.toLowerCase())
      ? []
      : [configViolation(stepIndex, ['merge_keys', index], 'the query makes no such column', key)],
  );
  const present = outputMode === 'OVERWRITE' ? undefined : datasets.get(output)?.currentVersion?.columns;
  const there = new Set(present?.map(({ name }) => name.toLowerCase()) ?? names);
  if (there.size === names.size && [...there].every((name) => names.has(name))) return found;
  const msg = `the query makes other columns than the dataset has: ${[...there].slice(0, MAX_NAMED).join(', ')}`;
  return [...found, configViolation(stepIndex, ['output_datasets', 0], msg, output)];
}

const MAX_NAMED = 20;

/**
 * All in one process, as starting one costs more than planning. Where that is lost or takes too long, each in a process
 * of its own: it shows then which is to blame.
 */
async function describe(
  runStep: RunStep,
  queries: readonly DescribedQuery[],
  variables: readonly SqlVariable[],
): Promise<readonly QueryPlan[]> {
  if (queries.length === 0) return [];
  const report = await runStep(
    { kind: 'DESCRIBE', inputs: [], query: '', described: queries, variables, output: null, limits: PLANNING },
    { signal: AbortSignal.timeout(PLANNING_MS), onLog: () => undefined },
  );
  if (report.plans) return report.plans;
  if (queries.length === 1) return [report];
  const plans: QueryPlan[] = [];
  for (const { query, tables } of queries) {
    const known = tables.flatMap((table) => {
      if ('columns' in table) return [table];
      const { name, madeBy } = table;
      const made = plans[madeBy];
      return made?.outcome === 'SUCCEEDED' ? [{ name, columns: made.columns }] : [];
    });
    plans.push(...(await describe(runStep, [{ query, tables: known }], variables)));
  }
  return plans;
}

const SYNTACTIC: ReadonlySet<string> = new Set(['syntax', 'not_one_statement', 'not_a_select', 'parameters']);

const PLANNING_MS = 15_000;
const PLANNING = { memoryBytes: 128 * 2 ** 20, seconds: 10, threads: 1, outputBytes: 2 ** 20, rows: 0 };

const queryViolation = (stepIndex: number, query: string, { message, code, position }: QueryPlan): Violation => ({
  ...configViolation(stepIndex, ['query'], message, query),
  ctx: { error: code, ...(position && { line: position.line, column: position.column }) },
});
