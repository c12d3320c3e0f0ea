import { onOrganisationDeleted } from '@platform-backend/events';
import type { Compose } from '@platform-backend/service';
import { removeDatasets } from './datasets/store/datasets-store.ts';
import { removePipelines } from './pipelines/store/pipelines-store.ts';
import { onDatasetUpdated } from './runs/reactions/on-dataset-updated.ts';
import { requestRunsOnNewData } from './runs/store/run-requests-store.ts';
import { removeSchedules } from './schedules/store/schedules-store.ts';
import type { service } from './service.ts';
import { removeTaskTemplates } from './task-templates/store/task-templates-store.ts';
import { composeDatasets } from './wiring/compose-datasets.ts';
import { composePipelines } from './wiring/compose-pipelines.ts';
import { composeSchedules } from './wiring/compose-schedules.ts';
import { composeTaskTemplates } from './wiring/compose-task-templates.ts';

/** Puts the service together from its parts. The only place that knows which implementation is used. */
export const compose: Compose<typeof service.declaration> = async (frame) => {
  const datasets = await composeDatasets(frame);
  const pipelines = await composePipelines(frame, datasets);
  const taskTemplates = composeTaskTemplates(frame);
  const schedules = composeSchedules(frame, { PIPELINE: pipelines.onDue, TASK_TEMPLATE: taskTemplates.onDue });
  return {
    handlers: { ...datasets.handlers, ...pipelines.handlers, ...taskTemplates.handlers },
    reactions: {
      'pipelines-on-dataset-updated': onDatasetUpdated(requestRunsOnNewData),
      'pipelines-on-organisation-deleted': onOrganisationDeleted([
        removeTaskTemplates,
        removeSchedules,
        removePipelines,
        removeDatasets,
      ]),
    },
    jobs: [...datasets.repeated, ...pipelines.repeated, ...taskTemplates.repeated, ...schedules.repeated],
  };
};
