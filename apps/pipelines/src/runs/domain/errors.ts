import { declareError } from '@platform-backend/core';

export const noVersion = declareError('conflict', 'no_version', 'The pipeline has no version yet');
export const newerReplicaNeeded = declareError(
  'unavailable',
  'newer_replica_needed',
  'The pipeline has steps of a later release of this platform, which another replica carries out: ask again',
  1,
);
export const runNotOver = declareError('conflict', 'run_not_over', 'The run is not over');
export const runSucceeded = declareError('conflict', 'run_succeeded', 'The run has succeeded');
export const runOutputGone = declareError(
  'conflict',
  'run_output_gone',
  'What a step before has made is not there any more: begin with that step',
);
export const pipelineRunNotFound = declareError('not_found', 'pipeline_run_not_found', 'Pipeline run not found');
