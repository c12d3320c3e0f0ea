import { newId, serviceActorContext, systemClock } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { openWorkQueue, type EventBus } from '@platform-backend/events';
import type { Database } from '@platform-backend/postgres';
import type { Credits } from '../../credits/domain/credits.ts';
import { rememberedVersions } from '../../pipelines/app/remembered-versions.ts';
import { createPipeline, type PipelineSettings } from '../../pipelines/domain/pipeline.ts';
import { pipelinesStore } from '../../pipelines/store/pipelines-store.ts';
import { settings } from '../../pipelines/test/examples.ts';
import type { NewStep, StepOrder } from '../../steps/domain/step.ts';
import { openOrchestration, type OrchestrationOptions } from '../area.ts';

interface OrchestrationUnderTest extends Partial<OrchestrationOptions> {
  readonly database: Database;
  readonly bus: EventBus;
}

/** Where nothing costs anything. */
export const noCredits: Credits = {
  hold: () => Promise.resolve(),
  extend: () => Promise.resolve(),
  release: () => Promise.resolve(),
  debit: () => {
    throw new Error('nothing costs anything');
  },
};

/** How a step ends that has made nothing. */
export const nothingDone = { outcome: 'SUCCEEDED', made: [], inputVersionIds: [], seconds: 0 } as const;

const logger = createLogger({ service: 'test', level: 'silent' });

/** All that there is for runs but what their steps do, which is nothing unless given, and nobody who sweeps. */
export function orchestrationUnderTest({ database, bus, ...options }: OrchestrationUnderTest) {
  const pipelines = pipelinesStore(database, () => Promise.resolve());
  const orchestration = openOrchestration({
    database,
    queue: openWorkQueue({ bus, logger, service: 'pipelines', name: 'steps' }),
    kernelQueue: openWorkQueue({ bus, logger, service: 'pipelines', name: 'kernel-steps' }),
    pipelines,
    findVersion: rememberedVersions(pipelines),
    executeStep: () => Promise.resolve(nothingDone),
    recordOutputs: () => Promise.resolve([]),
    countScheduledRuns: () => Promise.resolve(),
    credits: noCredits,
    datasets: { findVersions: () => Promise.resolve([]), findMany: () => Promise.resolve(new Map()) },
    kernels: undefined,
    microsPerStepSecond: 0n,
    slots: 4,
    kernelSlots: 4,
    maxOfOrganisation: 100,
    retentionDays: 365,
    clock: systemClock,
    logger,
    ...options,
  });

  async function pipelineOf(
    organisationId: string,
    steps: readonly NewStep[],
    { stepOrder = 'LISTED', ...changed }: Partial<PipelineSettings> & { readonly stepOrder?: StepOrder } = {},
  ): Promise<string> {
    const by = serviceActorContext('pipelines', organisationId, newId());
    const wanted = { id: newId(), stepIds: steps.map(() => newId()), stepOrder, steps };
    const created = createPipeline(newId(), { ...settings, ...changed }, wanted, new Date());
    return (await pipelines.add(by, created)).pipeline.id;
  }

  return {
    ...orchestration,
    /** Makes a pipeline of these steps; answers how a run of it is started. */
    async runsOf(organisationId: string, steps: readonly NewStep[], stepOrder: StepOrder = 'LISTED') {
      const by = serviceActorContext('pipelines', organisationId, newId());
      const pipelineId = await pipelineOf(organisationId, steps, { stepOrder, maxConcurrentRuns: 100 });
      return async () => (await orchestration.app.start(by, { runId: newId(), pipelineId, trigger: 'API' })).run;
    },
    pipelineOf,
  };
}
