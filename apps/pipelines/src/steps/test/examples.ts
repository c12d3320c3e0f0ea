import type { NewStep, StepConfig } from '../domain/step.ts';

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
    rowLimit: null,
    outputMode: 'OVERWRITE',
    mergeKeys: [],
    http: null,
    llm: null,
    pipelineVersionId: null,
    when: [],
    forEach: null,
    retryPolicy: null,
    ...more,
  },
});

export const check = (name: string, reads: readonly string[]): NewStep => step(name, reads, [], { jobType: 'CHECK' });
