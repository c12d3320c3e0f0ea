import { serviceActorContext } from '@platform-backend/core';
import { createPipeline } from '../../pipelines/domain/pipeline.ts';
import { settings } from '../../pipelines/test/examples.ts';
import type { NewStep, StepOrder } from '../../steps/domain/step.ts';
import { newRun } from '../domain/new-run.ts';
import type { Run } from '../domain/run.ts';

export const noon = new Date('2026-07-01T12:00:00Z');
export const by = serviceActorContext('pipelines', 'org_1', 'request');

export function versionOf(steps: readonly NewStep[], stepOrder: StepOrder = 'DATASETS') {
  const wanted = { id: 'version', stepIds: steps.map(({ name }) => `id of ${name}`), stepOrder, steps };
  const { published } = createPipeline('pipeline', settings, wanted, noon).state;
  if (!published) throw new Error('nothing was published');
  return published;
}

/** A run of these steps that is admitted among those that go on. */
export function runOf(steps: readonly NewStep[], stepOrder: StepOrder = 'DATASETS'): Run {
  const wanted = {
    id: '019a0000-0000-7000-8000-000000000001',
    name: 'run',
    trigger: 'API',
    engine: 'embedded',
    timeLimitSeconds: 3600,
    reservedMicros: 1_000_000n,
    eventChain: [],
    tags: [],
    notifies: false,
    clientGroupId: null,
    parent: null,
    parameters: {},
    backfillId: null,
  } as const;
  return { ...newRun(by, versionOf(steps, stepOrder), wanted, noon).state, admittedAt: noon };
}
