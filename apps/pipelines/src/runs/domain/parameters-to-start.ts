import { invalid } from '@platform-backend/core';
import type { Pipeline, PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import { startValues } from '../../steps/domain/parameters.ts';
import type { Run, RunTrigger } from './run.ts';

/** The values of the parameters that a run of the version begins with. INVALID: one that is unknown, missing or of another type. */
export function parametersToStart(
  { parameters: declared, steps }: PipelineVersion,
  { scheduleParameters }: Pick<Pipeline, 'scheduleParameters'>,
  { trigger, parameters }: { readonly trigger: RunTrigger; readonly parameters?: Run['parameters'] | undefined },
): Run['parameters'] {
  const isOfPipeline = trigger === 'SCHEDULE' || trigger === 'EVENT';
  const given = parameters ?? (isOfPipeline ? scheduleParameters : {});
  // A step that starts a run may also give what steps of that have for themselves.
  const ofSteps =
    trigger === 'PIPELINE' ? new Set(steps.flatMap(({ config }) => Object.keys(config.parameters))) : undefined;
  const isOfStep = (name: string) =>
    ofSteps?.has(name) === true && !declared.some((parameter) => parameter.name === name);
  const [own, others] = [true, false].map((wanted) =>
    Object.fromEntries(Object.entries(given).filter(([name]) => isOfStep(name) !== wanted)),
  ) as [Run['parameters'], Run['parameters']];
  const { values, violations } = startValues(declared, own);
  if (violations.length > 0) throw invalid(violations);
  return { ...others, ...values };
}
