import type { PipelineSettings } from '../domain/pipeline.ts';

export const settings: PipelineSettings = {
  ...{ name: 'p', description: '', referenceNotes: '', cronSchedule: null, timeZone: 'UTC', scheduleEnabled: true },
  overlap: 'BUFFER_ONE',
  ...{ runsOnNewData: false, maxConcurrentRuns: 1, runTimeLimitSeconds: 3600, tags: [] },
  ...{ notificationSettings: [], notifyOn: 'FAILURE', scheduleParameters: {} },
};
