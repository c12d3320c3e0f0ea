import { idOf } from '@platform-backend/core';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { StepConfig } from '../../steps/domain/step.ts';
import type { RunOfOrganisation, StepAttempt } from './run-engine.ts';
import type { Run, RunStep } from './run.ts';

/** One attempt has one child, or one for each value in their order, whoever starts them. */
export function childRunIds(
  { organisationId, runId, stepIndex, attempt }: StepAttempt,
  { forEach }: Pick<RunStep, 'forEach'>,
): readonly string[] {
  const of = ['child-run', organisationId, runId, String(stepIndex), String(attempt)];
  return forEach === null
    ? [idOf(of)]
    : Array.from({ length: forEach.runs }, (_, index) => idOf([...of, String(index)]));
}

/** Of the runs that it has started and waits for; whether they are there is another matter. */
export const awaitedRunIds = ({ organisationId, run }: RunOfOrganisation): readonly string[] =>
  run.steps.flatMap((step, stepIndex) =>
    step.startsRun && step.status === 'Running'
      ? childRunIds({ organisationId, runId: run.id, stepIndex, attempt: step.attempt }, step)
      : [],
  );

/** Those whose runs would wait for a child of this one. */
export const pipelinesAbove = ({ parent, pipelineId }: Pick<Run, 'parent' | 'pipelineId'>): readonly string[] => [
  ...(parent?.above ?? []),
  pipelineId,
];

/** Of a step: those that the run was started with have the place of those with the same names. */
export const parametersOf = (
  { parameters: given }: Pick<Run, 'parameters'>,
  { parameters }: Pick<StepConfig, 'parameters'>,
): Run['parameters'] =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, usual]) => [
      name,
      Object.hasOwn(given, name) ? (given[name] ?? null) : usual,
    ]),
  );

/** What one of the runs of a step is started with. */
export const parametersOfChild = (
  run: Pick<Run, 'parameters'>,
  config: Pick<StepConfig, 'parameters' | 'forEach'>,
  index: number,
): Run['parameters'] => ({
  ...parametersOf(run, config),
  ...(config.forEach && { [config.forEach.parameter]: config.forEach.values[index] ?? null }),
});

/** A value of each parameter of its version; null of those that a run from before does not know. */
export const declaredValues = (
  { parameters: given }: Pick<Run, 'parameters'>,
  { parameters }: Pick<PipelineVersion, 'parameters'>,
): Run['parameters'] => Object.fromEntries(parameters.map(({ name }) => [name, given[name] ?? null]));

/** What a program or a prompt has: its own, and those of its version. */
export const variablesOf = (
  run: Pick<Run, 'parameters'>,
  version: Pick<PipelineVersion, 'parameters'>,
  config: Pick<StepConfig, 'parameters'>,
): Run['parameters'] => ({ ...parametersOf(run, config), ...declaredValues(run, version) });
