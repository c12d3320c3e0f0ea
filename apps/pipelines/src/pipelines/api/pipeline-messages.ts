import type {
  PipelineInput,
  PipelineRunInput,
  PipelineSummaryInput,
  PipelineVersionComparisonInput,
  PipelineVersionInput,
  StepConfigInput,
} from '@platform-backend/contract-pipelines';
import { settingMessage } from '../../notifications/api/notification-messages.ts';
import type { StepConfig } from '../../steps/domain/step.ts';
import type { ListedPipeline, WholePipeline } from '../app/pipelines.ts';
import type { VersionComparison } from '../domain/compare-versions.ts';
import { pausedReasonOf, type PipelineVersion } from '../domain/pipeline.ts';

/** Another pipeline's organisation is never asked for, so the caller's is that of each. */
export const pipelineMessage = (
  organisationId: string,
  { version, ...listed }: WholePipeline,
  pipelineRuns: readonly PipelineRunInput[],
): PipelineInput => ({
  ...summaryMessage(organisationId, listed),
  currentVersion: version && versionMessage(version),
  referenceNotes: listed.pipeline.referenceNotes,
  pipelineRuns,
  timeZone: listed.pipeline.timeZone,
  runsOnNewData: listed.pipeline.runsOnNewData,
  maxConcurrentRuns: listed.pipeline.maxConcurrentRuns,
  runTimeLimitSeconds: listed.pipeline.runTimeLimitSeconds,
  overlap: listed.pipeline.overlap,
  notificationSettings: listed.pipeline.notificationSettings.map(settingMessage),
  notifyOn: listed.pipeline.notifyOn,
  scheduleParameters: listed.pipeline.scheduleParameters,
});

export const summaryMessage = (
  organisationId: string,
  { pipeline, nextRunAt }: ListedPipeline,
): PipelineSummaryInput => ({
  name: pipeline.name,
  description: pipeline.description,
  id: pipeline.id,
  organisationId,
  currentVersionId: pipeline.currentVersionId,
  cronSchedule: pipeline.cronSchedule,
  createdAt: pipeline.createdAt,
  archived: pipeline.archived,
  updatedAt: pipeline.updatedAt,
  scheduleEnabled: pipeline.scheduleEnabled,
  nextRunAt,
  pausedReason: pausedReasonOf(pipeline),
  tags: pipeline.tags,
});

export const versionMessage = ({
  id,
  pipelineId,
  steps,
  createdAt,
  number,
  stepOrder,
  parameters,
}: PipelineVersion): PipelineVersionInput => ({
  id,
  pipelineId,
  steps: steps.map(({ config, ...step }) => ({ ...step, config: configMessage(config) })),
  createdAt,
  number,
  stepOrder,
  parameters,
});

/** Of secrets only the names. */
export const configMessage = ({ http, ...config }: StepConfig): StepConfigInput => ({
  ...config,
  http: http && {
    method: http.method,
    headers: http.headers,
    secretHeaderNames: Object.keys(http.secretHeaders),
    body: http.body,
    responseFormat: http.responseFormat,
    rowsPath: http.rowsPath,
  },
});

export const comparisonMessage = (
  versionId: string,
  withVersionId: string,
  { steps, stepOrderChanged, parametersChanged }: VersionComparison,
): PipelineVersionComparisonInput => ({
  versionId,
  withVersionId,
  steps: steps.map(({ before, after, ...step }) => ({
    ...step,
    before: before && configMessage(before),
    after: after && configMessage(after),
  })),
  stepOrderChanged,
  parametersChanged,
});
