// Generated from protos/platform/pipelines/v1 by `npm run generate`. Do not edit.
import type { ClientCall, Handler, JsonObject, JsonObjectInput, JsonValue, JsonValueInput } from '../messages.ts';
import type { SortOrder } from './options.ts';

/** DatasetService owns datasets and what their columns mean. */
export interface DatasetServiceHandlers<Context> {
  /** The current version of a dataset's dictionary, in the order of the columns. */
  getDataDictionary: Handler<GetDataDictionaryRequest, DataDictionaryInput, Context>;
}

/** DatasetService owns datasets and what their columns mean. */
export interface DatasetServiceClient<Options = unknown> {
  /** The current version of a dataset's dictionary, in the order of the columns. */
  getDataDictionary: ClientCall<GetDataDictionaryRequestInput, DataDictionary, Options>;
}

/** PipelineService owns pipelines, their immutable versions and their runs. */
export interface PipelineServiceHandlers<Context> {
  /** The pipeline with its current version and its latest runs. */
  getPipeline: Handler<GetPipelineRequest, PipelineInput, Context>;
  /** Newest first. */
  listPipelineVersions: Handler<ListPipelineVersionsRequest, ListPipelineVersionsResponseInput, Context>;
  /** Newest first unless asked otherwise. */
  listPipelineRuns: Handler<ListPipelineRunsRequest, ListPipelineRunsResponseInput, Context>;
}

/** PipelineService owns pipelines, their immutable versions and their runs. */
export interface PipelineServiceClient<Options = unknown> {
  /** The pipeline with its current version and its latest runs. */
  getPipeline: ClientCall<GetPipelineRequestInput, Pipeline, Options>;
  /** Newest first. */
  listPipelineVersions: ClientCall<ListPipelineVersionsRequestInput, ListPipelineVersionsResponse, Options>;
  /** Newest first unless asked otherwise. */
  listPipelineRuns: ClientCall<ListPipelineRunsRequestInput, ListPipelineRunsResponse, Options>;
}

/** TaskTemplateService owns instructions for assistants that run on demand or on a schedule. */
export interface TaskTemplateServiceHandlers<Context> {
  createTaskTemplate: Handler<CreateTaskTemplateRequest, TaskTemplateInput, Context>;
  /** Ends its schedule too. */
  deleteTaskTemplate: Handler<DeleteTaskTemplateRequest, DeletedInput, Context>;
}

/** TaskTemplateService owns instructions for assistants that run on demand or on a schedule. */
export interface TaskTemplateServiceClient<Options = unknown> {
  createTaskTemplate: ClientCall<CreateTaskTemplateRequestInput, TaskTemplate, Options>;
  /** Ends its schedule too. */
  deleteTaskTemplate: ClientCall<DeleteTaskTemplateRequestInput, Deleted, Options>;
}

export interface DataDictionary {
  entries: DataDictionaryEntry[];
}

/** `DataDictionary`, to be written. */
export interface DataDictionaryInput {
  entries: readonly DataDictionaryEntryInput[];
}

export interface DataDictionaryEntry {
  name: string;
  description: string;
}

/** `DataDictionaryEntry`, to be written. */
export interface DataDictionaryEntryInput {
  name: string;
  description: string;
}

export interface GetDataDictionaryRequest {
  datasetId: string;
}

/** `GetDataDictionaryRequest`, to be written. */
export interface GetDataDictionaryRequestInput {
  datasetId: string;
}

/** The states of a run. Succeeded, Failed, Error and Cancelled are final. */
export type RunStatus =
  | 'Pending'
  | 'Running'
  | 'Succeeded'
  | 'Failed'
  | 'Error'
  | 'Cancelling'
  | 'Cancelled';

/** The states of a step. All but Pending and Running are final. */
export type StepStatus =
  | 'Pending'
  | 'Running'
  | 'Succeeded'
  | 'Failed'
  | 'Error'
  | 'Skipped'
  | 'Omitted';

export type QueryType =
  | 'SQL'
  | 'PYTHON'
  | 'NOTEBOOK';

export type JobType =
  | 'TRANSFORM'
  | 'INGEST'
  | 'EXPORT'
  | 'CHECK';

export interface Pipeline {
  name: string;
  description: string;
  id: string;
  organisationId: string;
  /** Null before the first version is published. */
  currentVersion: PipelineVersion | null;
  /** Null: runs only when started by hand. */
  cronSchedule: string | null;
  createdAt: Date | null;
  referenceNotes: string;
  /** The latest runs, newest first. */
  pipelineRuns: PipelineRun[];
}

/** `Pipeline`, to be written. */
export interface PipelineInput {
  name: string;
  description: string;
  id: string;
  organisationId: string;
  currentVersion?: PipelineVersionInput | null | undefined;
  cronSchedule?: string | null | undefined;
  createdAt?: Date | null | undefined;
  referenceNotes: string;
  pipelineRuns: readonly PipelineRunInput[];
}

/** A version never changes once it is published. */
export interface PipelineVersion {
  id: string;
  pipelineId: string;
  steps: Step[];
  createdAt: Date | null;
}

/** `PipelineVersion`, to be written. */
export interface PipelineVersionInput {
  id: string;
  pipelineId: string;
  steps: readonly StepInput[];
  createdAt?: Date | null | undefined;
}

export interface Step {
  id: string;
  name: string;
  createdAt: Date | null;
  config: StepConfig | null;
}

/** `Step`, to be written. */
export interface StepInput {
  id: string;
  name: string;
  createdAt?: Date | null | undefined;
  config?: StepConfigInput | null | undefined;
}

export interface StepConfig {
  queryType: QueryType | null;
  query: string;
  inputDatasets: string[];
  outputDatasets: string[];
  jobType: JobType | null;
}

/** `StepConfig`, to be written. */
export interface StepConfigInput {
  queryType: QueryType | null;
  query: string;
  inputDatasets: readonly string[];
  outputDatasets: readonly string[];
  jobType: JobType | null;
}

export interface PipelineRun {
  id: string;
  pipelineConfigVersionId: string;
  name: string;
  status: RunStatus | null;
  /** The workflow as it was handed to the engine. */
  workflowManifest: JsonObject | null;
  /** What the engine reported about it. */
  workflowMetadata: JsonObject | null;
  pipelineVersion: PipelineVersion | null;
  createdAt: Date | null;
  /** Null until finished. */
  finishedAt: Date | null;
  runSteps: RunStep[];
}

/** `PipelineRun`, to be written. */
export interface PipelineRunInput {
  id: string;
  pipelineConfigVersionId: string;
  name: string;
  status: RunStatus | null;
  workflowManifest?: JsonObjectInput | null | undefined;
  workflowMetadata?: JsonObjectInput | null | undefined;
  pipelineVersion?: PipelineVersionInput | null | undefined;
  createdAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
  runSteps: readonly RunStepInput[];
}

export interface RunStep {
  name: string;
  runName: string;
  status: StepStatus | null;
  /** Null until started. */
  startedAt: Date | null;
  /** Null until finished. */
  finishedAt: Date | null;
}

/** `RunStep`, to be written. */
export interface RunStepInput {
  name: string;
  runName: string;
  status: StepStatus | null;
  startedAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
}

export interface GetPipelineRequest {
  pipelineId: string;
}

/** `GetPipelineRequest`, to be written. */
export interface GetPipelineRequestInput {
  pipelineId: string;
}

export interface ListPipelineVersionsRequest {
  pipelineId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListPipelineVersionsRequest`, to be written. */
export interface ListPipelineVersionsRequestInput {
  pipelineId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListPipelineVersionsResponse {
  versions: PipelineVersion[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListPipelineVersionsResponse`, to be written. */
export interface ListPipelineVersionsResponseInput {
  versions: readonly PipelineVersionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface ListPipelineRunsRequest {
  pipelineId: string;
  /** Any of these. */
  status: RunStatus[];
  versionId: string;
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListPipelineRunsRequest`, to be written. */
export interface ListPipelineRunsRequestInput {
  pipelineId: string;
  status?: readonly RunStatus[] | null | undefined;
  versionId?: string | null | undefined;
  createdAfter?: Date | null | undefined;
  createdBefore?: Date | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListPipelineRunsResponse {
  runs: PipelineRun[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListPipelineRunsResponse`, to be written. */
export interface ListPipelineRunsResponseInput {
  runs: readonly PipelineRunInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface TaskTemplate {
  instruction: string;
  id: string;
  organisationId: string;
  name: string;
  assignee: string;
  context: TaskContext | null;
  notificationSettings: NotificationSetting[];
  /** Null: no schedule. */
  cronSchedule: string | null;
  scheduleEnabled: boolean;
  /** Null: from now on. */
  scheduleStartAt: Date | null;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** IANA name; the schedule's times are local to it. */
  timeZone: string;
}

/** `TaskTemplate`, to be written. */
export interface TaskTemplateInput {
  instruction: string;
  id: string;
  organisationId: string;
  name: string;
  assignee: string;
  context?: TaskContextInput | null | undefined;
  notificationSettings: readonly NotificationSettingInput[];
  cronSchedule?: string | null | undefined;
  scheduleEnabled: boolean;
  scheduleStartAt?: Date | null | undefined;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  timeZone: string;
}

/** What an assistant should look at: documents, datasets, anything a client names. */
export interface TaskContext {
  entities: JsonValue[];
}

/** `TaskContext`, to be written. */
export interface TaskContextInput {
  entities: readonly JsonValueInput[];
}

/** Where to tell about a finished task. */
export interface NotificationSetting {
  email: EmailNotification | null;
  slack: SlackNotification | null;
}

/** `NotificationSetting`, to be written. */
export interface NotificationSettingInput {
  email?: EmailNotificationInput | null | undefined;
  slack?: SlackNotificationInput | null | undefined;
}

export interface EmailNotification {
  userIds: string[];
}

/** `EmailNotification`, to be written. */
export interface EmailNotificationInput {
  userIds: readonly string[];
}

export interface SlackNotification {
  channelIds: string[];
}

/** `SlackNotification`, to be written. */
export interface SlackNotificationInput {
  channelIds: readonly string[];
}

/** The answer to a delete. */
export interface Deleted {
  id: string;
  deleted: boolean;
}

/** `Deleted`, to be written. */
export interface DeletedInput {
  id: string;
  deleted: boolean;
}

export interface CreateTaskTemplateRequest {
  instruction: string;
  name: string;
  /** Null or absent: the default assistant. */
  assignee: string | null;
  context: TaskContext;
  notificationSettings: NotificationSetting[];
  cronSchedule: string | null;
  scheduleEnabled: boolean;
  scheduleStartAt: Date | null;
  /** IANA name; the schedule's times are local to it. */
  timeZone: string;
}

/** `CreateTaskTemplateRequest`, to be written. */
export interface CreateTaskTemplateRequestInput {
  instruction: string;
  name: string;
  assignee?: string | null | undefined;
  context?: TaskContextInput | null | undefined;
  notificationSettings?: readonly NotificationSettingInput[] | null | undefined;
  cronSchedule?: string | null | undefined;
  scheduleEnabled?: boolean | null | undefined;
  scheduleStartAt?: Date | null | undefined;
  timeZone?: string | null | undefined;
}

export interface DeleteTaskTemplateRequest {
  templateId: string;
}

/** `DeleteTaskTemplateRequest`, to be written. */
export interface DeleteTaskTemplateRequestInput {
  templateId: string;
}
