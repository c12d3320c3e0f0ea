import { declareError } from '@platform-backend/core';

export const pipelineArchived = declareError('conflict', 'pipeline_archived', 'The pipeline is archived');
export const pipelineNotFound = declareError('not_found', 'pipeline_not_found', 'Pipeline not found');
export const pipelineVersionNotFound = declareError(
  'not_found',
  'pipeline_version_not_found',
  'Pipeline version not found',
);
