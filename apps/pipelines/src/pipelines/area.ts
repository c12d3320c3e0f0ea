import type { Area } from '@platform-backend/service';
import type { SchedulesExports } from '../schedules/area.ts';
import type { PipelinesContext, service } from '../service.ts';
import type { StepsExports } from '../steps/area.ts';
import type { WebhooksExports } from '../webhooks/area.ts';
import { pipelineHandlers, type LatestRuns } from './api/pipeline-handlers.ts';
import { pipelineUseCases } from './app/pipelines.ts';
import { rememberedVersions } from './app/remembered-versions.ts';
import { scheduleSpecOf } from './domain/pipeline.ts';
import {
  countScheduledRuns,
  pipelinesStore,
  removePipelines,
  type SetPipelineSchedule,
} from './store/pipelines-store.ts';

export type PipelinesExports = ReturnType<typeof pipelinesArea>['exports'];

interface PipelinesNeeds {
  readonly steps: StepsExports;
  readonly schedules: SchedulesExports;
  readonly webhooks: WebhooksExports;
  readonly latestRuns: LatestRuns;
}

/** Pipelines: what they are called, when they run, and their versions, which never change. */
export const pipelinesArea = (
  { storage, clock }: PipelinesContext,
  { steps, schedules, webhooks, latestRuns }: PipelinesNeeds,
) => {
  const setSchedule: SetPipelineSchedule = (trx, organisationId, pipeline) => {
    const owner = { kind: 'PIPELINE', id: pipeline.id } as const;
    return schedules.setSchedule(trx, organisationId, owner, scheduleSpecOf(pipeline), clock.now());
  };
  const pipelines = pipelinesStore(storage.database, setSchedule);
  const { sealHeaders } = steps;
  const ports = {
    ...steps.checking,
    ...webhooks,
    sealHeaders,
    pipelines,
    timetable: schedules.timetable,
    clock,
  };
  return {
    handlers: { PipelineService: pipelineHandlers(pipelineUseCases(ports), latestRuns) },
    removeOrganisation: removePipelines,
    exports: {
      pipelines,
      findVersion: rememberedVersions(pipelines),
      countScheduledRuns: countScheduledRuns(setSchedule),
    },
  } satisfies Area<typeof service.declaration>;
};
