import { isUuid, type Violation } from '@platform-backend/core';
import { headerProblem, isServerFixed, parametersIn } from './http-request.ts';
import { MAX_KERNEL_INPUTS } from './limits.ts';
import { llmViolations } from './llm-violations.ts';
import { unknownVariables, type Parameter } from './parameters.ts';
import { conditionViolations, namesIn } from './step-conditions.ts';
import { stepViolation } from './step-violation.ts';
import { needsKernel, sameName, type NewStep, type StepConfig, type StepOrder } from './step.ts';

/** Of each step the positions of those it waits for, ascending. */
export type StepGraph = readonly (readonly number[])[];

/** What waits for what. The steps have to be free of `graphViolations`. */
export function stepGraph(steps: readonly NewStep[], order: StepOrder): StepGraph {
  if (order === 'LISTED') return steps.map((_, position) => (position === 0 ? [] : [position - 1]));
  return datasetGraph(steps);
}

function datasetGraph(steps: readonly NewStep[]): StepGraph {
  const makers = makersOf(steps);
  const positions = new Map(steps.map(({ name }, position) => [sameName(name), position]));
  const checks = steps.map(({ config }) =>
    config.jobType === 'CHECK' ? new Set(config.inputDatasets.map(sameName)) : undefined,
  );
  return steps.map(({ config }, position) => {
    const inputs = config.inputDatasets.map(sameName);
    const after = new Set(inputs.flatMap((input) => makers.get(input) ?? []));
    for (const name of namesIn(config.when, 'STEP_STATUS')) {
      const awaited = positions.get(sameName(name));
      if (awaited !== undefined) after.add(awaited);
    }
    // Whoever checks data does so before it is used.
    for (const [earlier, checked] of checks.slice(0, position).entries()) {
      if (inputs.some((input) => checked?.has(input))) after.add(earlier);
    }
    return [...after].sort((one, other) => one - other);
  });
}

/** Which step makes each dataset, by its comparable name. */
export const makersOf = (steps: readonly NewStep[]): ReadonlyMap<string, number> =>
  new Map(steps.flatMap(({ config }, position) => config.outputDatasets.map((name) => [sameName(name), position])));

/** The steps in an order in which each comes after those it waits for. Those of a cycle are missing. */
export function inOrder(graph: StepGraph): readonly number[] {
  const done = new Set<number>();
  const waiting = new Set(graph.keys());
  for (let before = -1; before !== done.size;) {
    before = done.size;
    for (const position of waiting) {
      if (!(graph[position] ?? []).every((other) => done.has(other))) continue;
      done.add(position);
      waiting.delete(position);
    }
  }
  return [...done];
}

/** Everything because of which steps cannot be a version, as far as it can be told without looking anything up. */
export function graphViolations(
  steps: readonly NewStep[],
  order: StepOrder,
  hasKernels: boolean,
  declared: readonly Parameter[] = [],
): readonly Violation[] {
  const own = steps.flatMap((step, position) => [
    ...stepViolations(step, position),
    ...kernelViolations(step, position, hasKernels),
    ...httpViolations(step, position, declared),
    ...llmViolations(step, position, declared),
    ...variableViolations(step, position, declared),
    ...childViolations(step, position),
  ]);
  const found = [
    ...own,
    ...nameViolations(steps),
    ...outputViolations(steps),
    ...conditionViolations(steps, order, declared),
  ];
  if (found.length > 0) return found;
  return order === 'LISTED' ? listedViolations(steps) : cycleViolations(steps);
}

function stepViolations({ config }: NewStep, position: number): Violation[] {
  const { queryType, jobType, inputDatasets, outputDatasets, rowLimit } = config;
  const found: Violation[] = [];
  if (jobType === 'CHECK' && outputDatasets.length > 0) {
    found.push(stepViolation(position, ['config', 'output_datasets'], 'a CHECK makes no dataset', outputDatasets));
  }
  if (jobType === 'CHECK' && rowLimit !== null) {
    found.push(stepViolation(position, ['config', 'row_limit'], 'a CHECK makes no rows', rowLimit));
  }
  const mayMakeNone = queryType === 'HTTP' && jobType === 'EXPORT' && outputDatasets.length === 0;
  if (jobType !== 'CHECK' && outputDatasets.length !== 1 && !mayMakeNone && queryType !== 'PIPELINE') {
    const msg = `a step of type ${jobType} makes exactly one dataset`;
    found.push(stepViolation(position, ['config', 'output_datasets'], msg, outputDatasets));
  }
  if (jobType !== 'INGEST' && queryType !== 'HTTP' && queryType !== 'PIPELINE' && inputDatasets.length === 0) {
    const msg = `a step of type ${jobType} reads at least one dataset`;
    found.push(stepViolation(position, ['config', 'input_datasets'], msg, inputDatasets));
  }
  found.push(...outputModeViolations(config, position));
  for (const [index, name] of inputDatasets.entries()) {
    if (inputDatasets.findIndex((other) => sameName(other) === sameName(name)) < index) {
      found.push(stepViolation(position, ['config', 'input_datasets', index], 'this dataset is named twice', name));
    }
  }
  return found;
}

function outputModeViolations(
  { queryType, jobType, outputMode, mergeKeys }: StepConfig,
  position: number,
): Violation[] {
  const found: Violation[] = [];
  if (outputMode !== 'OVERWRITE' && queryType !== 'SQL') {
    const msg = `a ${queryType} step overwrites its dataset: only SQL appends and merges`;
    found.push(stepViolation(position, ['config', 'output_mode'], msg, outputMode));
  }
  if (outputMode !== 'OVERWRITE' && jobType === 'CHECK') {
    found.push(stepViolation(position, ['config', 'output_mode'], 'a CHECK makes no dataset', outputMode));
  }
  if ((outputMode === 'MERGE') !== mergeKeys.length > 0) {
    const msg = outputMode === 'MERGE' ? 'MERGE needs at least one column' : 'only MERGE has columns';
    found.push(stepViolation(position, ['config', 'merge_keys'], msg, mergeKeys));
  }
  for (const [index, key] of mergeKeys.entries()) {
    if (mergeKeys.findIndex((other) => other.toLowerCase() === key.toLowerCase()) < index)
      found.push(stepViolation(position, ['config', 'merge_keys', index], 'this column is named twice', key));
  }
  return found;
}

/** What programs and notebooks may not be, and what they alone may have. */
function kernelViolations({ config }: NewStep, position: number, hasKernels: boolean): Violation[] {
  const { queryType, inputDatasets, parameters } = config;
  const names = Object.keys(parameters);
  if (!needsKernel({ config })) {
    const msg = `a step of type ${queryType} has no parameters: only PYTHON, NOTEBOOK, LLM and PIPELINE steps have`;
    return names.length === 0 || queryType === 'LLM' || queryType === 'PIPELINE'
      ? []
      : [stepViolation(position, ['config', 'parameters'], msg, parameters)];
  }
  if (!hasKernels) {
    const msg = `${queryType} steps cannot be run here: only SQL`;
    return [stepViolation(position, ['config', 'query_type'], msg, queryType)];
  }
  const found: Violation[] = [];
  if (inputDatasets.length > MAX_KERNEL_INPUTS) {
    const msg = `a ${queryType} step reads at most ${MAX_KERNEL_INPUTS} datasets`;
    found.push(stepViolation(position, ['config', 'input_datasets'], msg, inputDatasets.length));
  }
  for (const name of names) {
    if (VARIABLE.test(name)) continue;
    found.push(stepViolation(position, ['config', 'parameters', name], 'this is no name of a variable', name));
  }
  return found;
}

/** Everything but what the other pipeline says. */
function childViolations({ config }: NewStep, position: number): Violation[] {
  const { queryType, jobType, query, pipelineVersionId, rowLimit, forEach } = config;
  const at = (field: string, msg: string, input: unknown) => stepViolation(position, ['config', field], msg, input);
  if (queryType !== 'PIPELINE')
    return [
      ...(pipelineVersionId === null
        ? []
        : [at('pipeline_version_id', 'only a PIPELINE step has a version', pipelineVersionId)]),
      ...(forEach === null ? [] : [at('for_each', 'only a PIPELINE step starts runs', forEach.parameter)]),
    ];
  const texts = forEach?.values.map((value) => JSON.stringify(value)) ?? [];
  return [
    ...texts.flatMap((text, index) =>
      texts.indexOf(text) < index
        ? [
            stepViolation(
              position,
              ['config', 'for_each', 'values', index],
              'this value is there twice',
              forEach?.values[index],
            ),
          ]
        : [],
    ),
    ...(isUuid(query) ? [] : [at('query', 'the id of a pipeline is a UUID', query)]),
    ...(jobType === 'CHECK' ? [at('job_type', 'a PIPELINE step is no CHECK', jobType)] : []),
    ...(rowLimit === null ? [] : [at('row_limit', 'a PIPELINE step makes no rows itself', rowLimit)]),
  ];
}

/** Everything but what its address says, which is looked at where addresses are known. */
function httpViolations({ config }: NewStep, position: number, declared: readonly Parameter[]): Violation[] {
  const { queryType, inputDatasets, http, query } = config;
  if ((queryType === 'HTTP') !== (http !== null)) {
    const msg = http ? `a step of type ${queryType} sends nothing: only HTTP does` : 'an HTTP step needs it';
    return [stepViolation(position, ['config', 'http'], msg, null)];
  }
  if (!http) return [];
  const found: Violation[] = [];
  const known = new Set(declared.map(({ name }) => name));
  for (const [field, template] of [
    [['query'], query],
    [['http', 'body'], http.body],
  ] as const)
    for (const name of parametersIn(template))
      if (!known.has(name)) found.push(stepViolation(position, ['config', ...field], noParameter(name), name));
  if (!isServerFixed(query)) {
    const msg = 'parameters stand behind the server of a URL, and are no part of it';
    found.push(stepViolation(position, ['config', 'query'], msg, query));
  }
  if (inputDatasets.length > 1) {
    const msg = 'an HTTP step reads at most one dataset';
    found.push(stepViolation(position, ['config', 'input_datasets'], msg, inputDatasets));
  }
  if (http.method === 'GET' && (http.body !== '' || inputDatasets.length > 0)) {
    found.push(stepViolation(position, ['config', 'http', 'method'], 'a GET sends nothing', http.method));
  }
  if (http.rowsPath !== '' && http.responseFormat !== 'JSON') {
    found.push(stepViolation(position, ['config', 'http', 'rows_path'], 'only JSON has a path', http.rowsPath));
  }
  const seen = new Set<string>();
  const named = [
    ...Object.entries(http.headers).map(([name, value]) => ['headers', name, value] as const),
    ...Object.entries(http.secretHeaders).map(([name, value]) => ['secret_headers', name, value] as const),
  ];
  for (const [field, name, value] of named) {
    const msg = headerProblem(name, value) ?? (seen.has(name.toLowerCase()) ? 'this header is named twice' : undefined);
    seen.add(name.toLowerCase());
    if (msg !== undefined) found.push(stepViolation(position, ['config', 'http', field, name], msg, name));
  }
  return found;
}

/** A query has the parameters of its version alone. */
const variableViolations = (
  { config: { queryType, query } }: NewStep,
  position: number,
  declared: readonly Parameter[],
): Violation[] =>
  (queryType === 'SQL' ? unknownVariables(query, declared) : []).map((name) =>
    stepViolation(position, ['config', 'query'], noParameter(name), name),
  );

const noParameter = (name: string): string => `there is no parameter ${name}`;

const VARIABLE = /^[\p{L}_][\p{L}\p{N}_]*$/u;

function nameViolations(steps: readonly NewStep[]): Violation[] {
  const names = steps.map(({ name }) => sameName(name));
  return steps.flatMap(({ name }, position) =>
    names.indexOf(names[position] ?? '') < position
      ? [stepViolation(position, ['name'], 'another step has this name', name)]
      : [],
  );
}

function outputViolations(steps: readonly NewStep[]): Violation[] {
  const seen = new Set<string>();
  return steps.flatMap(({ config }, position) =>
    config.outputDatasets.flatMap((name, index) => {
      if (!seen.has(sameName(name))) {
        seen.add(sameName(name));
        return [];
      }
      return [stepViolation(position, ['config', 'output_datasets', index], 'another step makes this dataset', name)];
    }),
  );
}

/** Run as listed, no step can read what a later one makes. */
function listedViolations(steps: readonly NewStep[]): Violation[] {
  const makers = makersOf(steps);
  return steps.flatMap(({ config }, position) =>
    config.inputDatasets.flatMap((name, index) =>
      (makers.get(sameName(name)) ?? -1) >= position
        ? [stepViolation(position, ['config', 'input_datasets', index], 'no earlier step makes this dataset', name)]
        : [],
    ),
  );
}

function cycleViolations(steps: readonly NewStep[]): Violation[] {
  const graph = datasetGraph(steps);
  const makers = makersOf(steps);
  const ordered = new Set(inOrder(graph));
  return steps.flatMap(({ config }, position) => {
    if (ordered.has(position)) return [];
    const index = config.inputDatasets.findIndex((name) => {
      const maker = makers.get(sameName(name));
      return maker !== undefined && !ordered.has(maker);
    });
    const input = config.inputDatasets[Math.max(index, 0)];
    const msg = 'the steps wait for each other in a circle';
    if (index < 0 && namesIn(config.when, 'STEP_STATUS').length > 0)
      return [stepViolation(position, ['config', 'when'], msg, namesIn(config.when, 'STEP_STATUS'))];
    return [stepViolation(position, ['config', 'input_datasets', Math.max(index, 0)], msg, input)];
  });
}
