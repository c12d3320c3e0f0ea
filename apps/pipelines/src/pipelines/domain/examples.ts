import type { NewStep, StepConfig } from '../../steps/domain/step.ts';
import type { PipelineSettings } from './pipeline.ts';

export const settings: PipelineSettings = {
  ...{ name: 'p', description: '', referenceNotes: '', cronSchedule: null, timeZone: 'UTC', scheduleEnabled: true },
  ...{ runsOnNewData: false, maxConcurrentRuns: 1, runTimeLimitSeconds: 3600 },
};

/** A step that reads and makes these datasets. */
export const step = (
  name: string,
  reads: readonly string[],
  makes: readonly string[],
  more: Partial<StepConfig> = {},
): NewStep => ({
  name,
  config: {
    queryType: 'SQL',
    query: 'SELECT 1 AS one',
    inputDatasets: reads,
    outputDatasets: makes,
    jobType: reads.length === 0 ? 'INGEST' : 'TRANSFORM',
    timeLimitSeconds: 60,
    memoryLimitMb: 512,
    parameters: {},
    ...more,
  },
});

export const check = (name: string, reads: readonly string[]): NewStep => step(name, reads, [], { jobType: 'CHECK' });
