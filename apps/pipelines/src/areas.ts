import { composeAreas } from '@platform-backend/service';
import { backfillsArea } from './backfills/area.ts';
import { connectionsArea } from './connections/area.ts';
import { creditsArea } from './credits/area.ts';
import { datasetsArea } from './datasets/area.ts';
import { notificationsArea } from './notifications/area.ts';
import { pipelinesArea } from './pipelines/area.ts';
import { runsArea } from './runs/area.ts';
import { schedulesArea } from './schedules/area.ts';
import { service } from './service.ts';
import { stepEngineArea } from './step-engine/area.ts';
import { stepsArea } from './steps/area.ts';
import { taskTemplatesArea } from './task-templates/area.ts';
import { webhooksArea } from './webhooks/area.ts';

/**
 * Puts the service together from its areas, each after those that it builds on; what one of them asks of a later one is
 * asked when there are all.
 */
export const compose = composeAreas(service, async (context) => {
  const credits = creditsArea(context);
  const stepEngine = await stepEngineArea(context);
  const connections = connectionsArea(context, {
    datasetsReadFrom: (...of) => datasets.exports.datasetsReadFrom(...of),
  });
  const datasets = await datasetsArea(context, {
    credits: credits.exports,
    stepEngine: stepEngine.exports,
    connections: connections.exports,
  });
  const steps = stepsArea(context, {
    credits: credits.exports,
    stepEngine: stepEngine.exports,
    datasets: datasets.exports,
  });
  const notifications = notificationsArea(context);
  const webhooks = webhooksArea(context);
  const schedules = schedulesArea(context, {
    onDue: {
      PIPELINE: (...due) => runs.exports.onDue(...due),
      TASK_TEMPLATE: (...due) => taskTemplates.exports.onDue(...due),
    },
  });
  const pipelines = pipelinesArea(context, {
    steps: steps.exports,
    schedules: schedules.exports,
    webhooks: webhooks.exports,
    latestRuns: (...of) => runs.exports.latestRuns(...of),
  });
  const runs = await runsArea(context, {
    credits: credits.exports,
    datasets: datasets.exports,
    steps: steps.exports,
    pipelines: pipelines.exports,
    onRunsEnded: (...ended) => backfills.exports.onRunsEnded(...ended),
  });
  const backfills = backfillsArea(context, {
    ...{ credits: credits.exports, pipelines: pipelines.exports, runs: runs.exports },
  });
  const taskTemplates = taskTemplatesArea(context, {
    schedules: schedules.exports,
    notifications: notifications.exports,
    webhooks: webhooks.exports,
  });
  return [
    credits,
    stepEngine,
    connections,
    datasets,
    steps,
    notifications,
    webhooks,
    schedules,
    pipelines,
    runs,
    backfills,
    taskTemplates,
  ];
});
