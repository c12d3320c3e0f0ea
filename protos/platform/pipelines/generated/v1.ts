// Generated from protos/platform/pipelines/v1 by `npm run generate`. Do not edit.
import type { ClientCall, ClientStream, FieldMask, Handler, Int64Input, JsonObject, JsonObjectInput, JsonValue, JsonValueInput, StreamHandler } from '@platform-backend/contract/messages';
import type { PermissionLevel, SortOrder } from '@platform-backend/contract/options';

/** What handles each of its services. */
export interface PipelinesHandlers<Context> {
  BackfillService: BackfillServiceHandlers<Context>;
  ConnectionService: ConnectionServiceHandlers<Context>;
  DatasetService: DatasetServiceHandlers<Context>;
  DatasetFileService: DatasetFileServiceHandlers<Context>;
  TaskTemplateService: TaskTemplateServiceHandlers<Context>;
  PipelineService: PipelineServiceHandlers<Context>;
  RunService: RunServiceHandlers<Context>;
  WebhookService: WebhookServiceHandlers<Context>;
}

/** BackfillService starts runs of one pipeline over many values of one of its parameters, such as the days of a year, a few of them at a time. */
export interface BackfillServiceHandlers<Context> {
  /**
   * Has a run started for each value, in their order, in the name of whoever asks. Each value has one run, whichever process is killed. A
   * repetition with the same `Idempotency-Key` is answered with the same backfill.
   */
  startBackfill: Handler<StartBackfillRequest, BackfillInput, Context>;
  /** Newest first unless asked otherwise. */
  listBackfills: Handler<ListBackfillsRequest, ListBackfillsResponseInput, Context>;
  /** One backfill with how far it is. Its runs are those of the pipeline with its `backfill_id`. */
  getBackfill: Handler<GetBackfillRequest, BackfillInput, Context>;
  /** Starts no more runs of it, and cancels those that go on. Repeating it is safe, also when it is over. */
  cancelBackfill: Handler<CancelBackfillRequest, BackfillInput, Context>;
}

/** BackfillService starts runs of one pipeline over many values of one of its parameters, such as the days of a year, a few of them at a time. */
export interface BackfillServiceClient<Options = unknown> {
  /**
   * Has a run started for each value, in their order, in the name of whoever asks. Each value has one run, whichever process is killed. A
   * repetition with the same `Idempotency-Key` is answered with the same backfill.
   */
  startBackfill: ClientCall<StartBackfillRequestInput, Backfill, Options>;
  /** Newest first unless asked otherwise. */
  listBackfills: ClientCall<ListBackfillsRequestInput, ListBackfillsResponse, Options>;
  /** One backfill with how far it is. Its runs are those of the pipeline with its `backfill_id`. */
  getBackfill: ClientCall<GetBackfillRequestInput, Backfill, Options>;
  /** Starts no more runs of it, and cancels those that go on. Repeating it is safe, also when it is over. */
  cancelBackfill: ClientCall<CancelBackfillRequestInput, Backfill, Options>;
}

/**
 * ConnectionService keeps how databases, object stores and HTTP interfaces of an organisation are reached, each with a secret that is
 * sealed and never shown. Datasets are read from them. Where secrets go administrators decide.
 */
export interface ConnectionServiceHandlers<Context> {
  /** Adds a connection. Nothing is called yet. */
  createConnection: Handler<CreateConnectionRequest, ConnectionInput, Context>;
  /** Newest first unless asked otherwise. */
  listConnections: Handler<ListConnectionsRequest, ListConnectionsResponseInput, Context>;
  /** One connection, without its secret. */
  getConnection: Handler<GetConnectionRequest, ConnectionInput, Context>;
  /**
   * Changes the fields given; `settings` stand in place of all of before. Where they lead elsewhere the secret has to be given again: it
   * was given for whom they have named.
   */
  updateConnection: Handler<UpdateConnectionRequest, ConnectionInput, Context>;
  /** Removes it with its secret. Datasets that are read from it have to name another one first, or none. */
  deleteConnection: Handler<DeleteConnectionRequest, DeletedInput, Context>;
  /**
   * Tries it, and says what is wrong. A database is asked for nothing but 1, a bucket for the first of its keys, and an HTTP interface for its
   * `base_url`, whose answer may be anything but 401, 403 and what begins with 5.
   */
  testConnection: Handler<TestConnectionRequest, ConnectionTestInput, Context>;
}

/**
 * ConnectionService keeps how databases, object stores and HTTP interfaces of an organisation are reached, each with a secret that is
 * sealed and never shown. Datasets are read from them. Where secrets go administrators decide.
 */
export interface ConnectionServiceClient<Options = unknown> {
  /** Adds a connection. Nothing is called yet. */
  createConnection: ClientCall<CreateConnectionRequestInput, Connection, Options>;
  /** Newest first unless asked otherwise. */
  listConnections: ClientCall<ListConnectionsRequestInput, ListConnectionsResponse, Options>;
  /** One connection, without its secret. */
  getConnection: ClientCall<GetConnectionRequestInput, Connection, Options>;
  /**
   * Changes the fields given; `settings` stand in place of all of before. Where they lead elsewhere the secret has to be given again: it
   * was given for whom they have named.
   */
  updateConnection: ClientCall<UpdateConnectionRequestInput, Connection, Options>;
  /** Removes it with its secret. Datasets that are read from it have to name another one first, or none. */
  deleteConnection: ClientCall<DeleteConnectionRequestInput, Deleted, Options>;
  /**
   * Tries it, and says what is wrong. A database is asked for nothing but 1, a bucket for the first of its keys, and an HTTP interface for its
   * `base_url`, whose answer may be anything but 401, 403 and what begins with 5.
   */
  testConnection: ClientCall<TestConnectionRequestInput, ConnectionTest, Options>;
}

/** DatasetService owns datasets: tables by their versions, and what their columns mean. */
export interface DatasetServiceHandlers<Context> {
  /**
   * Makes a dataset, or finds it again, and a URL that takes the bytes of its next version: CSV, JSON lines or
   * Parquet. Repeating it with the same id and name gives a fresh URL.
   */
  uploadDataset: Handler<UploadDatasetRequest, DatasetUploadInput, Context>;
  /**
   * Makes a dataset that is read from a connection, and has it read: `upload` says how far that is. Repeating it with the same id, name and
   * source changes nothing.
   */
  createDataset: Handler<CreateDatasetRequest, DatasetInput, Context>;
  /** Reads a dataset's source again, as its next version: `upload` says how far that is. One whose source is being read already is read once. */
  refreshDataset: Handler<RefreshDatasetRequest, DatasetInput, Context>;
  /**
   * Says that the bytes are there, so that nobody has to look for them. They are found without it, too, only later.
   * Repeating it is safe.
   */
  completeDatasetUpload: Handler<CompleteDatasetUploadRequest, DatasetInput, Context>;
  /** Rows of the latest upload that could not be read, in the order of the file: at most the first 1,000. */
  listRejectedRows: Handler<ListRejectedRowsRequest, ListRejectedRowsResponseInput, Context>;
  /** Newest first unless asked otherwise. */
  listDatasets: Handler<ListDatasetsRequest, ListDatasetsResponseInput, Context>;
  /** One dataset with its current version and its columns. */
  getDataset: Handler<GetDatasetRequest, DatasetInput, Context>;
  /** Changes the fields given; absent fields stay. Queries know it by its new name from then on. Another source is read at the next refresh. */
  updateDataset: Handler<UpdateDatasetRequest, DatasetInput, Context>;
  /** Removes it with all versions and their bytes. */
  deleteDataset: Handler<DeleteDatasetRequest, DeletedDatasetInput, Context>;
  /** Newest first. */
  listDatasetVersions: Handler<ListDatasetVersionsRequest, ListDatasetVersionsResponseInput, Context>;
  /** Which upload, or which step of which run, made a version, and from which versions of which datasets. */
  getDatasetLineage: Handler<GetDatasetLineageRequest, DatasetLineageInput, Context>;
  /** The first rows. */
  previewDataset: Handler<PreviewDatasetRequest, QueryResultInput, Context>;
  /** A URL that gives the bytes of a version, as Parquet, to whoever has it. */
  downloadDataset: Handler<DownloadDatasetRequest, DatasetDownloadInput, Context>;
  /**
   * The bytes of a version as a file, for a service that works with them itself: the first answer has `file`, the others the bytes.
   * Whoever ends the call ends the reading.
   * NOT_FOUND: no such dataset or version. CONFLICT: there is no data yet. TOO_LARGE: the file is larger than `max_bytes`.
   * RATE_LIMITED: the organisation has as many read at once as it may.
   */
  readDatasetFile: StreamHandler<ReadDatasetFileRequest, ReadDatasetFileAnswerInput, Context>;
  /** Rows that one statement selects from datasets of the organisation, which it calls by their names. */
  queryDatasets: Handler<QueryDatasetsRequest, QueryResultInput, Context>;
  /** The current version of a dataset's dictionary, in the order of the columns. */
  getDataDictionary: Handler<GetDataDictionaryRequest, DataDictionaryInput, Context>;
  /**
   * Says what columns of the current version mean; those that are not named stay. Later versions begin with what is
   * said.
   */
  updateDataDictionary: Handler<UpdateDataDictionaryRequest, DataDictionaryInput, Context>;
  /** What has changed in columns and their meanings from one version to another. */
  compareDataDictionaries: Handler<CompareDataDictionariesRequest, DataDictionaryChangesInput, Context>;
}

/** DatasetService owns datasets: tables by their versions, and what their columns mean. */
export interface DatasetServiceClient<Options = unknown> {
  /**
   * Makes a dataset, or finds it again, and a URL that takes the bytes of its next version: CSV, JSON lines or
   * Parquet. Repeating it with the same id and name gives a fresh URL.
   */
  uploadDataset: ClientCall<UploadDatasetRequestInput, DatasetUpload, Options>;
  /**
   * Makes a dataset that is read from a connection, and has it read: `upload` says how far that is. Repeating it with the same id, name and
   * source changes nothing.
   */
  createDataset: ClientCall<CreateDatasetRequestInput, Dataset, Options>;
  /** Reads a dataset's source again, as its next version: `upload` says how far that is. One whose source is being read already is read once. */
  refreshDataset: ClientCall<RefreshDatasetRequestInput, Dataset, Options>;
  /**
   * Says that the bytes are there, so that nobody has to look for them. They are found without it, too, only later.
   * Repeating it is safe.
   */
  completeDatasetUpload: ClientCall<CompleteDatasetUploadRequestInput, Dataset, Options>;
  /** Rows of the latest upload that could not be read, in the order of the file: at most the first 1,000. */
  listRejectedRows: ClientCall<ListRejectedRowsRequestInput, ListRejectedRowsResponse, Options>;
  /** Newest first unless asked otherwise. */
  listDatasets: ClientCall<ListDatasetsRequestInput, ListDatasetsResponse, Options>;
  /** One dataset with its current version and its columns. */
  getDataset: ClientCall<GetDatasetRequestInput, Dataset, Options>;
  /** Changes the fields given; absent fields stay. Queries know it by its new name from then on. Another source is read at the next refresh. */
  updateDataset: ClientCall<UpdateDatasetRequestInput, Dataset, Options>;
  /** Removes it with all versions and their bytes. */
  deleteDataset: ClientCall<DeleteDatasetRequestInput, DeletedDataset, Options>;
  /** Newest first. */
  listDatasetVersions: ClientCall<ListDatasetVersionsRequestInput, ListDatasetVersionsResponse, Options>;
  /** Which upload, or which step of which run, made a version, and from which versions of which datasets. */
  getDatasetLineage: ClientCall<GetDatasetLineageRequestInput, DatasetLineage, Options>;
  /** The first rows. */
  previewDataset: ClientCall<PreviewDatasetRequestInput, QueryResult, Options>;
  /** A URL that gives the bytes of a version, as Parquet, to whoever has it. */
  downloadDataset: ClientCall<DownloadDatasetRequestInput, DatasetDownload, Options>;
  /**
   * The bytes of a version as a file, for a service that works with them itself: the first answer has `file`, the others the bytes.
   * Whoever ends the call ends the reading.
   * NOT_FOUND: no such dataset or version. CONFLICT: there is no data yet. TOO_LARGE: the file is larger than `max_bytes`.
   * RATE_LIMITED: the organisation has as many read at once as it may.
   */
  readDatasetFile: ClientStream<ReadDatasetFileRequestInput, ReadDatasetFileAnswer, Options>;
  /** Rows that one statement selects from datasets of the organisation, which it calls by their names. */
  queryDatasets: ClientCall<QueryDatasetsRequestInput, QueryResult, Options>;
  /** The current version of a dataset's dictionary, in the order of the columns. */
  getDataDictionary: ClientCall<GetDataDictionaryRequestInput, DataDictionary, Options>;
  /**
   * Says what columns of the current version mean; those that are not named stay. Later versions begin with what is
   * said.
   */
  updateDataDictionary: ClientCall<UpdateDataDictionaryRequestInput, DataDictionary, Options>;
  /** What has changed in columns and their meanings from one version to another. */
  compareDataDictionaries: ClientCall<CompareDataDictionariesRequestInput, DataDictionaryChanges, Options>;
}

/**
 * DatasetFileService takes and gives the bytes of datasets, where they are kept by the platform itself. The ticket in the
 * URL, which other operations make, is the credential: signed, for one object, and short-lived.
 */
export interface DatasetFileServiceHandlers<Context> {
  /** Takes the bytes. Repeating it with the same bytes is safe. */
  uploadDatasetFile: Handler<AsyncIterable<UploadDatasetFileRequest>, UploadedDatasetFileInput, Context>;
  /** Gives the bytes, as a file to be saved. */
  downloadDatasetFile: StreamHandler<DownloadDatasetFileRequest, DatasetFilePieceInput, Context>;
}

/**
 * DatasetFileService takes and gives the bytes of datasets, where they are kept by the platform itself. The ticket in the
 * URL, which other operations make, is the credential: signed, for one object, and short-lived.
 */
export interface DatasetFileServiceClient<Options = unknown> {
  /** Takes the bytes. Repeating it with the same bytes is safe. */
  uploadDatasetFile: ClientCall<AsyncIterable<UploadDatasetFileRequestInput>, UploadedDatasetFile, Options>;
  /** Gives the bytes, as a file to be saved. */
  downloadDatasetFile: ClientStream<DownloadDatasetFileRequestInput, DatasetFilePiece, Options>;
}

/** TaskTemplateService owns instructions for assistants that run on demand or on a schedule. */
export interface TaskTemplateServiceHandlers<Context> {
  /** What its schedule starts is done in the name of the user who created it. */
  createTaskTemplate: Handler<CreateTaskTemplateRequest, TaskTemplateInput, Context>;
  /** Newest first unless asked otherwise. */
  listTaskTemplates: Handler<ListTaskTemplatesRequest, ListTaskTemplatesResponseInput, Context>;
  /** One task template with its schedule. */
  getTaskTemplate: Handler<GetTaskTemplateRequest, TaskTemplateInput, Context>;
  /** Changes the fields given. What runs already goes on as it began. */
  updateTaskTemplate: Handler<UpdateTaskTemplateRequest, TaskTemplateInput, Context>;
  /** Ends its schedule too, and forgets its executions. */
  deleteTaskTemplate: Handler<DeleteTaskTemplateRequest, DeletedInput, Context>;
  /** Stops its schedule. Repeating it is safe. */
  pauseTaskTemplate: Handler<PauseTaskTemplateRequest, TaskTemplateInput, Context>;
  /** Starts its schedule from now on; what was due meanwhile is not made up for. Repeating it is safe. */
  resumeTaskTemplate: Handler<ResumeTaskTemplateRequest, TaskTemplateInput, Context>;
  /** Begins an execution now, whatever its schedule. */
  runTaskTemplate: Handler<RunTaskTemplateRequest, TaskExecutionInput, Context>;
  /** The next times at which a schedule would be due, before it is saved. */
  previewSchedule: Handler<PreviewScheduleRequest, ScheduleTimesInput, Context>;
  /** The next times at which it is due; none while its schedule is not enabled. */
  previewTaskTemplate: Handler<PreviewTaskTemplateRequest, ScheduleTimesInput, Context>;
  /** Newest first unless asked otherwise. They are kept for 90 days. */
  listTaskExecutions: Handler<ListTaskExecutionsRequest, ListTaskExecutionsResponseInput, Context>;
  /** With what became of its notifications. */
  getTaskExecution: Handler<GetTaskExecutionRequest, TaskExecutionInput, Context>;
}

/** TaskTemplateService owns instructions for assistants that run on demand or on a schedule. */
export interface TaskTemplateServiceClient<Options = unknown> {
  /** What its schedule starts is done in the name of the user who created it. */
  createTaskTemplate: ClientCall<CreateTaskTemplateRequestInput, TaskTemplate, Options>;
  /** Newest first unless asked otherwise. */
  listTaskTemplates: ClientCall<ListTaskTemplatesRequestInput, ListTaskTemplatesResponse, Options>;
  /** One task template with its schedule. */
  getTaskTemplate: ClientCall<GetTaskTemplateRequestInput, TaskTemplate, Options>;
  /** Changes the fields given. What runs already goes on as it began. */
  updateTaskTemplate: ClientCall<UpdateTaskTemplateRequestInput, TaskTemplate, Options>;
  /** Ends its schedule too, and forgets its executions. */
  deleteTaskTemplate: ClientCall<DeleteTaskTemplateRequestInput, Deleted, Options>;
  /** Stops its schedule. Repeating it is safe. */
  pauseTaskTemplate: ClientCall<PauseTaskTemplateRequestInput, TaskTemplate, Options>;
  /** Starts its schedule from now on; what was due meanwhile is not made up for. Repeating it is safe. */
  resumeTaskTemplate: ClientCall<ResumeTaskTemplateRequestInput, TaskTemplate, Options>;
  /** Begins an execution now, whatever its schedule. */
  runTaskTemplate: ClientCall<RunTaskTemplateRequestInput, TaskExecution, Options>;
  /** The next times at which a schedule would be due, before it is saved. */
  previewSchedule: ClientCall<PreviewScheduleRequestInput, ScheduleTimes, Options>;
  /** The next times at which it is due; none while its schedule is not enabled. */
  previewTaskTemplate: ClientCall<PreviewTaskTemplateRequestInput, ScheduleTimes, Options>;
  /** Newest first unless asked otherwise. They are kept for 90 days. */
  listTaskExecutions: ClientCall<ListTaskExecutionsRequestInput, ListTaskExecutionsResponse, Options>;
  /** With what became of its notifications. */
  getTaskExecution: ClientCall<GetTaskExecutionRequestInput, TaskExecution, Options>;
}

/** PipelineService owns pipelines, their immutable versions and their runs. */
export interface PipelineServiceHandlers<Context> {
  /** With steps it has its first version at once. */
  createPipeline: Handler<CreatePipelineRequest, PipelineInput, Context>;
  /** Newest first unless asked otherwise. */
  listPipelines: Handler<ListPipelinesRequest, ListPipelinesResponseInput, Context>;
  /** The pipeline with its current version and its latest runs. */
  getPipeline: Handler<GetPipelineRequest, PipelineInput, Context>;
  /** Changes the fields given. Its steps change by publishing a version. */
  updatePipeline: Handler<UpdatePipelineRequest, PipelineInput, Context>;
  /** Hides it, ends its schedule and starts no more runs; those that are under way go on. Repeating it is safe. */
  archivePipeline: Handler<ArchivePipelineRequest, PipelineInput, Context>;
  /** Takes it out of the archive, with its schedule. Repeating it is safe. */
  restorePipeline: Handler<RestorePipelineRequest, PipelineInput, Context>;
  /** Another pipeline with the same current version, and without a schedule. */
  clonePipeline: Handler<ClonePipelineRequest, PipelineInput, Context>;
  /** Makes these steps the current version. */
  publishPipelineVersion: Handler<PublishPipelineVersionRequest, PipelineVersionInput, Context>;
  /** One version with its steps, whether it is the current one or not. */
  getPipelineVersion: Handler<GetPipelineVersionRequest, PipelineVersionInput, Context>;
  /** What changed from one version to the other, step by step; steps are told apart by their names. */
  comparePipelineVersions: Handler<ComparePipelineVersionsRequest, PipelineVersionComparisonInput, Context>;
  /** Publishes the steps of an earlier version once more, as the current version. */
  rollBackPipeline: Handler<RollBackPipelineRequest, PipelineVersionInput, Context>;
  /**
   * Carries steps out on a few rows of their inputs, keeps nothing, and shows what comes out of each. A PYTHON or
   * NOTEBOOK step has a kernel of its own, which ends with it. A step that takes longer than there is time has failed,
   * and those that need what failed are omitted. INVALID as for a version.
   */
  trySteps: Handler<TryStepsRequest, TryStepsResponseInput, Context>;
  /** Newest first. */
  listPipelineVersions: Handler<ListPipelineVersionsRequest, ListPipelineVersionsResponseInput, Context>;
  /** Newest first unless asked otherwise. A page of 200 runs has hundreds of kilobytes, of which `view=BASIC` leaves out most. */
  listPipelineRuns: Handler<ListPipelineRunsRequest, ListPipelineRunsResponseInput, Context>;
}

/** PipelineService owns pipelines, their immutable versions and their runs. */
export interface PipelineServiceClient<Options = unknown> {
  /** With steps it has its first version at once. */
  createPipeline: ClientCall<CreatePipelineRequestInput, Pipeline, Options>;
  /** Newest first unless asked otherwise. */
  listPipelines: ClientCall<ListPipelinesRequestInput, ListPipelinesResponse, Options>;
  /** The pipeline with its current version and its latest runs. */
  getPipeline: ClientCall<GetPipelineRequestInput, Pipeline, Options>;
  /** Changes the fields given. Its steps change by publishing a version. */
  updatePipeline: ClientCall<UpdatePipelineRequestInput, Pipeline, Options>;
  /** Hides it, ends its schedule and starts no more runs; those that are under way go on. Repeating it is safe. */
  archivePipeline: ClientCall<ArchivePipelineRequestInput, Pipeline, Options>;
  /** Takes it out of the archive, with its schedule. Repeating it is safe. */
  restorePipeline: ClientCall<RestorePipelineRequestInput, Pipeline, Options>;
  /** Another pipeline with the same current version, and without a schedule. */
  clonePipeline: ClientCall<ClonePipelineRequestInput, Pipeline, Options>;
  /** Makes these steps the current version. */
  publishPipelineVersion: ClientCall<PublishPipelineVersionRequestInput, PipelineVersion, Options>;
  /** One version with its steps, whether it is the current one or not. */
  getPipelineVersion: ClientCall<GetPipelineVersionRequestInput, PipelineVersion, Options>;
  /** What changed from one version to the other, step by step; steps are told apart by their names. */
  comparePipelineVersions: ClientCall<ComparePipelineVersionsRequestInput, PipelineVersionComparison, Options>;
  /** Publishes the steps of an earlier version once more, as the current version. */
  rollBackPipeline: ClientCall<RollBackPipelineRequestInput, PipelineVersion, Options>;
  /**
   * Carries steps out on a few rows of their inputs, keeps nothing, and shows what comes out of each. A PYTHON or
   * NOTEBOOK step has a kernel of its own, which ends with it. A step that takes longer than there is time has failed,
   * and those that need what failed are omitted. INVALID as for a version.
   */
  trySteps: ClientCall<TryStepsRequestInput, TryStepsResponse, Options>;
  /** Newest first. */
  listPipelineVersions: ClientCall<ListPipelineVersionsRequestInput, ListPipelineVersionsResponse, Options>;
  /** Newest first unless asked otherwise. A page of 200 runs has hundreds of kilobytes, of which `view=BASIC` leaves out most. */
  listPipelineRuns: ClientCall<ListPipelineRunsRequestInput, ListPipelineRunsResponse, Options>;
}

/**
 * RunService carries pipelines out. What a run is, is what is recorded here, whatever the engine says later: Succeeded,
 * Failed, Error and Cancelled are final.
 */
export interface RunServiceHandlers<Context> {
  /**
   * Starts the current version, or another one. It waits its turn where too many runs go on. A repetition with the
   * same `Idempotency-Key` is answered with the same run.
   */
  startRun: Handler<StartRunRequest, PipelineRunInput, Context>;
  /**
   * Starts the current version for an assistant, in the name of a user who may start runs. A repetition with the same task
   * is answered with the same run. As StartRun.
   */
  startTaskRun: Handler<StartTaskRunRequest, PipelineRunInput, Context>;
  /** One run with its steps, and what the engine says of it. */
  getRun: Handler<GetRunRequest, PipelineRunInput, Context>;
  /**
   * Ends it within ten seconds: what is running is interrupted, and what it made is thrown away. Repeating it is safe,
   * also when the run is over.
   */
  cancelRun: Handler<CancelRunRequest, PipelineRunInput, Context>;
  /**
   * Starts a run that keeps what succeeded in this one and goes on with the rest, or does it again from a step on: what the steps before have
   * made is read as it is. It names this run as `retry_of_run_id`. As StartRun.
   */
  retryRun: Handler<RetryRunRequest, PipelineRunInput, Context>;
  /** The steps in the order of the version, with what each has made of what. */
  listRunSteps: Handler<ListRunStepsRequest, ListRunStepsResponseInput, Context>;
  /** What the steps wrote, oldest first. Of each attempt of a step the first 2,000 lines are kept, for 30 days. */
  listRunLogs: Handler<ListRunLogsRequest, ListRunLogsResponseInput, Context>;
  /**
   * The same as it is written, until the run is over: an event `line` for each, and `finished`. With the header
   * `Last-Event-ID` it goes on after that line.
   */
  followRunLogs: StreamHandler<FollowRunLogsRequest, RunLogEventInput, Context>;
  /** An event `run` with the run as it is now, and again after each change, until `finished`. */
  watchRun: StreamHandler<WatchRunRequest, RunEventInput, Context>;
}

/**
 * RunService carries pipelines out. What a run is, is what is recorded here, whatever the engine says later: Succeeded,
 * Failed, Error and Cancelled are final.
 */
export interface RunServiceClient<Options = unknown> {
  /**
   * Starts the current version, or another one. It waits its turn where too many runs go on. A repetition with the
   * same `Idempotency-Key` is answered with the same run.
   */
  startRun: ClientCall<StartRunRequestInput, PipelineRun, Options>;
  /**
   * Starts the current version for an assistant, in the name of a user who may start runs. A repetition with the same task
   * is answered with the same run. As StartRun.
   */
  startTaskRun: ClientCall<StartTaskRunRequestInput, PipelineRun, Options>;
  /** One run with its steps, and what the engine says of it. */
  getRun: ClientCall<GetRunRequestInput, PipelineRun, Options>;
  /**
   * Ends it within ten seconds: what is running is interrupted, and what it made is thrown away. Repeating it is safe,
   * also when the run is over.
   */
  cancelRun: ClientCall<CancelRunRequestInput, PipelineRun, Options>;
  /**
   * Starts a run that keeps what succeeded in this one and goes on with the rest, or does it again from a step on: what the steps before have
   * made is read as it is. It names this run as `retry_of_run_id`. As StartRun.
   */
  retryRun: ClientCall<RetryRunRequestInput, PipelineRun, Options>;
  /** The steps in the order of the version, with what each has made of what. */
  listRunSteps: ClientCall<ListRunStepsRequestInput, ListRunStepsResponse, Options>;
  /** What the steps wrote, oldest first. Of each attempt of a step the first 2,000 lines are kept, for 30 days. */
  listRunLogs: ClientCall<ListRunLogsRequestInput, ListRunLogsResponse, Options>;
  /**
   * The same as it is written, until the run is over: an event `line` for each, and `finished`. With the header
   * `Last-Event-ID` it goes on after that line.
   */
  followRunLogs: ClientStream<FollowRunLogsRequestInput, RunLogEvent, Options>;
  /** An event `run` with the run as it is now, and again after each change, until `finished`. */
  watchRun: ClientStream<WatchRunRequestInput, RunEvent, Options>;
}

/**
 * WebhookService keeps the addresses that an organisation has told how runs and executions end: those that `notification_settings` of
 * pipelines and task templates name. What is sent leaves the platform, so administrators decide. Each delivery is a POST of JSON, signed as
 * Standard Webhooks says (headers `webhook-id`, `webhook-timestamp` and `webhook-signature`), and arrives at least once.
 */
export interface WebhookServiceHandlers<Context> {
  /** Adds an address, and makes the secret that deliveries to it are signed with. The secret is in this answer and never shown again. */
  createWebhook: Handler<CreateWebhookRequest, WebhookWithSecretInput, Context>;
  /** Newest first unless asked otherwise. */
  listWebhooks: Handler<ListWebhooksRequest, ListWebhooksResponseInput, Context>;
  /** One address, without its secret. */
  getWebhook: Handler<GetWebhookRequest, WebhookInput, Context>;
  /** Changes the fields given. Deliveries that are pending go to where it is then. */
  updateWebhook: Handler<UpdateWebhookRequest, WebhookInput, Context>;
  /** Removes it with its secret and its deliveries. Settings that name it tell it nothing any more. */
  deleteWebhook: Handler<DeleteWebhookRequest, DeletedInput, Context>;
  /** Gives it a new secret. For `overlap_seconds` deliveries are signed with the old one as well; one rotated out before ends now. */
  rotateWebhookSecret: Handler<RotateWebhookSecretRequest, WebhookWithSecretInput, Context>;
  /** Sends it an event of type `webhook.test` as all others are sent; what became of it is among its deliveries. */
  testWebhook: Handler<TestWebhookRequest, WebhookDeliveryInput, Context>;
  /** What it was and is to be told, newest first unless asked otherwise; kept for 30 days, and no longer than the run or execution that it tells of. */
  listWebhookDeliveries: Handler<ListWebhookDeliveriesRequest, ListWebhookDeliveriesResponseInput, Context>;
  /** Sends one again that has arrived or was given up, with the same `webhook-id` and body. One that is pending is sent now. */
  redeliverWebhook: Handler<RedeliverWebhookRequest, WebhookDeliveryInput, Context>;
}

/**
 * WebhookService keeps the addresses that an organisation has told how runs and executions end: those that `notification_settings` of
 * pipelines and task templates name. What is sent leaves the platform, so administrators decide. Each delivery is a POST of JSON, signed as
 * Standard Webhooks says (headers `webhook-id`, `webhook-timestamp` and `webhook-signature`), and arrives at least once.
 */
export interface WebhookServiceClient<Options = unknown> {
  /** Adds an address, and makes the secret that deliveries to it are signed with. The secret is in this answer and never shown again. */
  createWebhook: ClientCall<CreateWebhookRequestInput, WebhookWithSecret, Options>;
  /** Newest first unless asked otherwise. */
  listWebhooks: ClientCall<ListWebhooksRequestInput, ListWebhooksResponse, Options>;
  /** One address, without its secret. */
  getWebhook: ClientCall<GetWebhookRequestInput, Webhook, Options>;
  /** Changes the fields given. Deliveries that are pending go to where it is then. */
  updateWebhook: ClientCall<UpdateWebhookRequestInput, Webhook, Options>;
  /** Removes it with its secret and its deliveries. Settings that name it tell it nothing any more. */
  deleteWebhook: ClientCall<DeleteWebhookRequestInput, Deleted, Options>;
  /** Gives it a new secret. For `overlap_seconds` deliveries are signed with the old one as well; one rotated out before ends now. */
  rotateWebhookSecret: ClientCall<RotateWebhookSecretRequestInput, WebhookWithSecret, Options>;
  /** Sends it an event of type `webhook.test` as all others are sent; what became of it is among its deliveries. */
  testWebhook: ClientCall<TestWebhookRequestInput, WebhookDelivery, Options>;
  /** What it was and is to be told, newest first unless asked otherwise; kept for 30 days, and no longer than the run or execution that it tells of. */
  listWebhookDeliveries: ClientCall<ListWebhookDeliveriesRequestInput, ListWebhookDeliveriesResponse, Options>;
  /** Sends one again that has arrived or was given up, with the same `webhook-id` and body. One that is pending is sent now. */
  redeliverWebhook: ClientCall<RedeliverWebhookRequestInput, WebhookDelivery, Options>;
}

/** The states of a backfill. Succeeded, Failed and Cancelled are final. */
export type BackfillStatus =
  | 'Running'
  /** Each of its runs has. */
  | 'Succeeded'
  /** One of its runs has not, or could not be started: then there are no others after it. */
  | 'Failed'
  | 'Cancelled';

export interface Backfill {
  id: string;
  /** Of which it starts runs. */
  pipelineId: string;
  /** That all of its runs carry out. */
  versionId: string;
  /** How far it is. */
  status: BackfillStatus | null;
  /** Whose values they are. */
  parameter: string;
  /** In the order in which runs are started; left out of lists. */
  values: JsonValue[];
  /** The values of other parameters, the same for all of its runs. */
  parameters: Record<string, JsonValue>;
  /** So many of its runs go on or wait at the same time. */
  maxConcurrentRuns: number;
  /** Why it ended as it did; empty otherwise. */
  message: string;
  /** How many there will be. */
  totalRuns: number;
  /** How many were started, whatever became of them. */
  startedRuns: number;
  /** Of those, how many have succeeded; runs that were removed since are not counted, here and below. */
  succeededRuns: number;
  /** How many have failed, also by an error. */
  failedRuns: number;
  /** How many were cancelled. */
  cancelledRuns: number;
  createdAt: Date | null;
  /** Null until it is over. */
  finishedAt: Date | null;
}

/** `Backfill`, to be written. */
export interface BackfillInput {
  id: string;
  pipelineId: string;
  versionId: string;
  status: BackfillStatus | null;
  parameter: string;
  values: readonly JsonValueInput[];
  parameters: Readonly<Record<string, JsonValueInput | undefined>>;
  maxConcurrentRuns: number;
  message: string;
  totalRuns: number;
  startedRuns: number;
  succeededRuns: number;
  failedRuns: number;
  cancelledRuns: number;
  createdAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
}

export interface StartBackfillRequest {
  pipelineId: string;
  /** Absent: the version that is current now; all runs carry out the same. */
  versionId: string | null;
  idempotencyKey: string;
  /** The name of a parameter that the version declares. */
  parameter: string;
  /** Its values, each once. Empty: those of `range`. */
  values: JsonValue[];
  /** Of a DATE or an INTEGER, in place of `values`. */
  range: BackfillRange | null;
  /** Values of other parameters, the same for all of its runs. */
  parameters: Record<string, JsonValue>;
  /** So many of its runs go on or wait at the same time; beside that the limits of pipeline and organisation hold. */
  maxConcurrentRuns: number;
}

/** `StartBackfillRequest`, to be written. */
export interface StartBackfillRequestInput {
  pipelineId: string;
  versionId?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
  parameter: string;
  values?: readonly JsonValueInput[] | null | undefined;
  range?: BackfillRangeInput | null | undefined;
  parameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
  maxConcurrentRuns?: number | null | undefined;
}

/** From one value to another, both of them included. */
export interface BackfillRange {
  /** A text such as 2026-07-01 of a DATE, or a whole number. */
  first: JsonValue | null;
  /** Not before the first. */
  last: JsonValue | null;
  /** Of a DATE in days. */
  step: number;
}

/** `BackfillRange`, to be written. */
export interface BackfillRangeInput {
  first?: JsonValueInput | null | undefined;
  last?: JsonValueInput | null | undefined;
  step?: number | null | undefined;
}

export interface ListBackfillsRequest {
  pipelineId: string;
  /** Any of these. */
  status: BackfillStatus[];
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListBackfillsRequest`, to be written. */
export interface ListBackfillsRequestInput {
  pipelineId: string;
  status?: readonly BackfillStatus[] | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListBackfillsResponse {
  /** By `order`, newest first unless given. */
  backfills: Backfill[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListBackfillsResponse`, to be written. */
export interface ListBackfillsResponseInput {
  backfills: readonly BackfillInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetBackfillRequest {
  pipelineId: string;
  backfillId: string;
}

/** `GetBackfillRequest`, to be written. */
export interface GetBackfillRequestInput {
  pipelineId: string;
  backfillId: string;
}

export interface CancelBackfillRequest {
  pipelineId: string;
  backfillId: string;
}

/** `CancelBackfillRequest`, to be written. */
export interface CancelBackfillRequestInput {
  pipelineId: string;
  backfillId: string;
}

export interface Connection {
  id: string;
  /** What people call it; unique in the organisation, whatever the case of its letters. */
  name: string;
  /** All of it but the secret. */
  settings: ConnectionSettings | null;
  /** Whether it has a secret. */
  hasSecret: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** `Connection`, to be written. */
export interface ConnectionInput {
  id: string;
  name: string;
  settings?: ConnectionSettingsInput | null | undefined;
  hasSecret: boolean;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
}

/** How it is reached, as it is said. */
export interface NewConnectionSettings {
  /** A database. Its secret is the password. */
  postgresql: NewPostgresqlSettings | null;
  /** A bucket of S3, or of what speaks its protocol. Its secret is the secret access key. */
  s3: NewS3Settings | null;
  /** An HTTP interface. Its secret, if it needs one, is the value of a header. */
  http: NewHttpSettings | null;
}

/** `NewConnectionSettings`, to be written. */
export interface NewConnectionSettingsInput {
  postgresql?: NewPostgresqlSettingsInput | null | undefined;
  s3?: NewS3SettingsInput | null | undefined;
  http?: NewHttpSettingsInput | null | undefined;
}

/** How it is reached. */
export interface ConnectionSettings {
  /** A database. Its secret is the password. */
  postgresql: PostgresqlSettings | null;
  /** A bucket of S3, or of what speaks its protocol. Its secret is the secret access key. */
  s3: S3Settings | null;
  /** An HTTP interface. Its secret, if it needs one, is the value of a header. */
  http: HttpSettings | null;
}

/** `ConnectionSettings`, to be written. */
export interface ConnectionSettingsInput {
  postgresql?: PostgresqlSettingsInput | null | undefined;
  s3?: S3SettingsInput | null | undefined;
  http?: HttpSettingsInput | null | undefined;
}

export interface NewPostgresqlSettings {
  /** A public name or address, unless the operator allows it by name. */
  host: string;
  /** Where it listens. */
  port: number;
  /** Which of its databases. */
  database: string;
  /** Needs no right but to read. */
  user: string;
  /** Whether what is said is encrypted, and to whom. */
  sslMode: PostgresqlSslMode;
  /** Of VERIFY_FULL: certificates in PEM by which the server is believed. Empty: those of authorities that everybody knows. */
  sslRootCertificate: string;
}

/** `NewPostgresqlSettings`, to be written. */
export interface NewPostgresqlSettingsInput {
  host: string;
  port?: number | null | undefined;
  database: string;
  user: string;
  sslMode?: PostgresqlSslMode | null | undefined;
  sslRootCertificate?: string | null | undefined;
}

export interface PostgresqlSettings {
  /** Its name or address. */
  host: string;
  /** Where it listens. */
  port: number;
  /** Which of its databases. */
  database: string;
  /** Who reads. */
  user: string;
  /** Whether what is said is encrypted, and to whom. */
  sslMode: PostgresqlSslMode | null;
  /** By which the server is believed, in PEM; empty: by those of authorities that everybody knows. */
  sslRootCertificate: string;
}

/** `PostgresqlSettings`, to be written. */
export interface PostgresqlSettingsInput {
  host: string;
  port: number;
  database: string;
  user: string;
  sslMode: PostgresqlSslMode | null;
  sslRootCertificate: string;
}

export type PostgresqlSslMode =
  /** Encrypted, and the certificate is the server's by its name. */
  | 'VERIFY_FULL'
  /** Encrypted, whoever answers. */
  | 'REQUIRE'
  /** Not encrypted: only of hosts that the operator allows by name. */
  | 'DISABLE';

export interface NewS3Settings {
  /** Where it is, if that is not Amazon's. Begins with `https://` and is a public address, unless the operator allows its host by name. */
  endpoint: string;
  /** Where the bucket is. */
  region: string;
  /** Its name. */
  bucket: string;
  /** The public half of the key. */
  accessKeyId: string;
}

/** `NewS3Settings`, to be written. */
export interface NewS3SettingsInput {
  endpoint?: string | null | undefined;
  region?: string | null | undefined;
  bucket: string;
  accessKeyId: string;
}

export interface S3Settings {
  /** Empty: Amazon's. */
  endpoint: string;
  /** Where the bucket is. */
  region: string;
  /** Its name. */
  bucket: string;
  /** The public half of the key. */
  accessKeyId: string;
}

/** `S3Settings`, to be written. */
export interface S3SettingsInput {
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
}

export interface NewHttpSettings {
  /** What all paths are below. Begins with `https://` and is a public address, unless the operator allows its host by name. */
  baseUrl: string;
  /** The header whose value is the secret. */
  headerName: string;
}

/** `NewHttpSettings`, to be written. */
export interface NewHttpSettingsInput {
  baseUrl: string;
  headerName?: string | null | undefined;
}

export interface HttpSettings {
  /** What all paths are below. */
  baseUrl: string;
  /** The header whose value is the secret. */
  headerName: string;
}

/** `HttpSettings`, to be written. */
export interface HttpSettingsInput {
  baseUrl: string;
  headerName: string;
}

export type ConnectionKind =
  | 'POSTGRESQL'
  | 'S3'
  | 'HTTP';

export interface CreateConnectionRequest {
  /** What people call it; unique in the organisation, whatever the case of its letters. */
  name: string;
  /** Of which kind it is, and how it is reached. */
  settings: NewConnectionSettings;
  /** The password, the secret access key, or the value of the header, as the kind has it. Nothing shows it again. */
  secret: string;
}

/** `CreateConnectionRequest`, to be written. */
export interface CreateConnectionRequestInput {
  name: string;
  settings: NewConnectionSettingsInput;
  secret?: string | null | undefined;
}

export interface ListConnectionsRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Only those of these kinds. */
  kind: ConnectionKind[];
}

/** `ListConnectionsRequest`, to be written. */
export interface ListConnectionsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  kind?: readonly ConnectionKind[] | null | undefined;
}

export interface ListConnectionsResponse {
  /** By `order`, newest first unless given. */
  connections: Connection[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListConnectionsResponse`, to be written. */
export interface ListConnectionsResponseInput {
  connections: readonly ConnectionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetConnectionRequest {
  connectionId: string;
}

/** `GetConnectionRequest`, to be written. */
export interface GetConnectionRequestInput {
  connectionId: string;
}

export interface UpdateConnectionRequest {
  connectionId: string;
  /** As when it is made. */
  name: string;
  /** Of the same kind. */
  settings: NewConnectionSettings | null;
  /** In place of the one of before. */
  secret: string;
  updateMask: FieldMask | null;
}

/** `UpdateConnectionRequest`, to be written. */
export interface UpdateConnectionRequestInput {
  connectionId: string;
  name?: string | null | undefined;
  settings?: NewConnectionSettingsInput | null | undefined;
  secret?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteConnectionRequest {
  connectionId: string;
}

/** `DeleteConnectionRequest`, to be written. */
export interface DeleteConnectionRequestInput {
  connectionId: string;
}

export interface TestConnectionRequest {
  connectionId: string;
}

/** `TestConnectionRequest`, to be written. */
export interface TestConnectionRequestInput {
  connectionId: string;
}

export interface ConnectionTest {
  /** Whether it would be read from. */
  ok: boolean;
  /** What is wrong; null where it is well. */
  failure: DatasetUploadFailure | null;
  /** How long it took. */
  durationMs: number;
}

/** `ConnectionTest`, to be written. */
export interface ConnectionTestInput {
  ok: boolean;
  failure?: DatasetUploadFailureInput | null | undefined;
  durationMs: number;
}

export interface Dataset {
  id: string;
  organisationId: string;
  /** What queries call it; unique in the organisation, whatever the case of its letters. */
  name: string;
  /** What it holds, in words; may be empty. */
  description: string;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** Null until the first upload or run has succeeded. */
  currentVersion: DatasetVersion | null;
  /** The latest upload, or reading of its source; null where everything came from runs. */
  upload: DatasetUploadState | null;
  /** What it is read from; null where nothing but uploads and runs make its versions. */
  source: DatasetSource | null;
}

/** `Dataset`, to be written. */
export interface DatasetInput {
  id: string;
  organisationId: string;
  name: string;
  description: string;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  currentVersion?: DatasetVersionInput | null | undefined;
  upload?: DatasetUploadStateInput | null | undefined;
  source?: DatasetSourceInput | null | undefined;
}

/** What of a connection shall make the rows of a dataset. */
export interface NewDatasetSource {
  /** What a query selects from a database. */
  postgresql: NewPostgresqlSource | null;
  /** An object of a bucket. */
  s3: NewS3Source | null;
  /** What an HTTP interface answers. */
  http: NewHttpSource | null;
}

/** `NewDatasetSource`, to be written. */
export interface NewDatasetSourceInput {
  postgresql?: NewPostgresqlSourceInput | null | undefined;
  s3?: NewS3SourceInput | null | undefined;
  http?: NewHttpSourceInput | null | undefined;
}

/** What of a connection makes the rows of a dataset. */
export interface DatasetSource {
  /** What a query selects from a database. */
  postgresql: PostgresqlSource | null;
  /** An object of a bucket. */
  s3: S3Source | null;
  /** What an HTTP interface answers. */
  http: HttpSource | null;
}

/** `DatasetSource`, to be written. */
export interface DatasetSourceInput {
  postgresql?: PostgresqlSourceInput | null | undefined;
  s3?: S3SourceInput | null | undefined;
  http?: HttpSourceInput | null | undefined;
}

export interface NewPostgresqlSource {
  /** Of that kind. */
  connectionId: string;
  /** One statement that selects, in the SQL of that database. It is carried out in a transaction that only reads. */
  query: string;
}

/** `NewPostgresqlSource`, to be written. */
export interface NewPostgresqlSourceInput {
  connectionId: string;
  query: string;
}

export interface PostgresqlSource {
  /** Which connection. */
  connectionId: string;
  /** What it is asked. */
  query: string;
}

/** `PostgresqlSource`, to be written. */
export interface PostgresqlSourceInput {
  connectionId: string;
  query: string;
}

export interface NewS3Source {
  /** Of that kind. */
  connectionId: string;
  /** Of the object. */
  key: string;
  /** Of the bytes. */
  format: SourceFormat;
  /** Of a CSV alone. */
  csv: CsvOptions | null;
}

/** `NewS3Source`, to be written. */
export interface NewS3SourceInput {
  connectionId: string;
  key: string;
  format: SourceFormat;
  csv?: CsvOptionsInput | null | undefined;
}

export interface S3Source {
  /** Which connection. */
  connectionId: string;
  /** Of the object. */
  key: string;
  /** Of the bytes. */
  format: SourceFormat | null;
  /** Null but of a CSV of which something was said. */
  csv: SourceCsv | null;
}

/** `S3Source`, to be written. */
export interface S3SourceInput {
  connectionId: string;
  key: string;
  format: SourceFormat | null;
  csv?: SourceCsvInput | null | undefined;
}

export interface NewHttpSource {
  /** Of that kind. */
  connectionId: string;
  /** What is asked for with GET, below the `base_url` of the connection; it may have a query. */
  path: string;
  /** Of the answer. */
  format: SourceFormat;
  /** Of a CSV alone. */
  csv: CsvOptions | null;
}

/** `NewHttpSource`, to be written. */
export interface NewHttpSourceInput {
  connectionId: string;
  path: string;
  format: SourceFormat;
  csv?: CsvOptionsInput | null | undefined;
}

export interface HttpSource {
  /** Which connection. */
  connectionId: string;
  /** What is asked for below its `base_url`. */
  path: string;
  /** Of the answer. */
  format: SourceFormat | null;
  /** Null but of a CSV of which something was said. */
  csv: SourceCsv | null;
}

/** `HttpSource`, to be written. */
export interface HttpSourceInput {
  connectionId: string;
  path: string;
  format: SourceFormat | null;
  csv?: SourceCsvInput | null | undefined;
}

/** How a CSV is read, as it was said. */
export interface SourceCsv {
  /** Empty: it is found out. */
  delimiter: string;
  /** Empty: it is found out. */
  quote: string;
  /** How its bytes stand for characters. */
  encoding: CsvEncoding | null;
  /** Null: it is found out. */
  hasHeader: boolean | null;
  /** What stands before the fraction of a number. */
  decimalSeparator: CsvDecimalSeparator | null;
  /** All columns that the file has to have. Empty: whatever there is. */
  columns: ResultColumn[];
  /** So many rows may be left out. */
  maxRejectedRows: number;
}

/** `SourceCsv`, to be written. */
export interface SourceCsvInput {
  delimiter: string;
  quote: string;
  encoding: CsvEncoding | null;
  hasHeader?: boolean | null | undefined;
  decimalSeparator: CsvDecimalSeparator | null;
  columns: readonly ResultColumnInput[];
  maxRejectedRows: number;
}

export type SourceFormat =
  /** As of an upload. */
  | 'CSV'
  /** One object a line. */
  | 'JSON_LINES'
  | 'PARQUET'
  /** An array of objects. */
  | 'JSON';

export type DatasetUploadStatus =
  | 'PENDING'
  /** Its bytes are there, or its source is to be asked: it waits for its turn. */
  | 'UPLOADED'
  | 'READING'
  /** A version has been made of it. */
  | 'READY'
  | 'FAILED'
  /** The URL's life ended before anything was uploaded. */
  | 'EXPIRED';

export interface DatasetUploadState {
  id: string;
  /** How far it is. */
  status: DatasetUploadStatus | null;
  /** Why it could not be read; null unless FAILED. */
  failure: DatasetUploadFailure | null;
  /** Rows of a CSV that could not be read and are in no version. Of one that has failed there may be more. */
  rejectedRowCount: number;
}

/** `DatasetUploadState`, to be written. */
export interface DatasetUploadStateInput {
  id: string;
  status: DatasetUploadStatus | null;
  failure?: DatasetUploadFailureInput | null | undefined;
  rejectedRowCount: number;
}

export interface DatasetUploadFailure {
  /**
   * Stable: `empty_file`, `rejected_rows`, `schema_mismatch`, `invalid_data`, `conversion`, `too_large`, `out_of_memory`,
   * `timed_out`, ...; of connections `address_refused`, `unreachable`, `tls_failed`, `authentication_failed`, `secret_unreadable`,
   * `source_not_found`, `query_failed`, `source_failed`, `connection_gone`.
   */
  code: string;
  /** What is wrong with the file or the connection, for people. */
  message: string;
}

/** `DatasetUploadFailure`, to be written. */
export interface DatasetUploadFailureInput {
  code: string;
  message: string;
}

/** The data itself, which never changes. */
export interface DatasetVersion {
  id: string;
  datasetId: string;
  /** From 1. */
  number: number;
  createdAt: Date | null;
  /** How many it has. */
  rows: string;
  /** Of the Parquet file. */
  sizeBytes: string;
  /** SHA-256 of the Parquet file in hex. */
  checksum: string;
  columns: DatasetColumn[];
  /** What it was made of. */
  source: VersionSource | null;
}

/** `DatasetVersion`, to be written. */
export interface DatasetVersionInput {
  id: string;
  datasetId: string;
  number: number;
  createdAt?: Date | null | undefined;
  rows: Int64Input;
  sizeBytes: Int64Input;
  checksum: string;
  columns: readonly DatasetColumnInput[];
  source?: VersionSourceInput | null | undefined;
}

export interface RejectedRow {
  /** From 1; a header is a line, too. Of a row over several lines the first. */
  line: string;
  reason: RejectionReason | null;
  /** The column that is wrong or missing; empty where it is none of those that there are. */
  column: string;
  /** For people. */
  message: string;
  /** As it stands in the file, cut at 500 characters. */
  text: string;
}

/** `RejectedRow`, to be written. */
export interface RejectedRowInput {
  line: Int64Input;
  reason: RejectionReason | null;
  column: string;
  message: string;
  text: string;
}

export type RejectionReason =
  /** A value is not of the type of its column. */
  | 'WRONG_TYPE'
  | 'MISSING_COLUMNS'
  | 'TOO_MANY_COLUMNS'
  /** A quote is not closed, or stands within a value and is not doubled. */
  | 'QUOTES'
  | 'LINE_TOO_LONG'
  /** Bytes that are none of the encoding. */
  | 'ENCODING';

export interface DatasetColumn {
  /** As in the file. */
  name: string;
  /** As DuckDB writes it: `INTEGER`, `DECIMAL(18,2)`, `VARCHAR[]`. */
  type: string;
  /** Rows without a value. */
  nulls: string;
  /** Different values, never more than there are; of many rows counted approximately. */
  distinct: string;
  /** As text, cut at 200 characters; null where there is none. */
  min: string | null;
  /** As `min`. */
  max: string | null;
}

/** `DatasetColumn`, to be written. */
export interface DatasetColumnInput {
  name: string;
  type: string;
  nulls: Int64Input;
  distinct: Int64Input;
  min?: string | null | undefined;
  max?: string | null | undefined;
}

export interface VersionSource {
  /** One that somebody uploaded. */
  upload: UploadSource | null;
  /** A step of a run that wrote it. */
  run: RunSource | null;
  /** A reading from a connection. */
  connection: ConnectionSource | null;
}

/** `VersionSource`, to be written. */
export interface VersionSourceInput {
  upload?: UploadSourceInput | null | undefined;
  run?: RunSourceInput | null | undefined;
  connection?: ConnectionSourceInput | null | undefined;
}

export interface ConnectionSource {
  /** Which reading. */
  uploadId: string;
  /** Which connection; it may be gone since. */
  connectionId: string;
}

/** `ConnectionSource`, to be written. */
export interface ConnectionSourceInput {
  uploadId: string;
  connectionId: string;
}

export interface UploadSource {
  /** Which upload. */
  uploadId: string;
}

/** `UploadSource`, to be written. */
export interface UploadSourceInput {
  uploadId: string;
}

export interface RunSource {
  /** Which run. */
  runId: string;
  /** The name of the step. */
  step: string;
}

/** `RunSource`, to be written. */
export interface RunSourceInput {
  runId: string;
  step: string;
}

export interface DatasetUpload {
  /** Takes one PUT for 15 minutes, with the header `Content-Type: <content_type>`. */
  signedUrl: string;
  /** As it was given. */
  datasetId: string;
  /** What the PUT has to name. */
  contentType: string;
  /** The most that the URL takes. */
  maxBytes: string;
  expiresAt: Date | null;
  /** Another way where files are in S3, which holds the size down: a multipart form with these fields, and `file` last. */
  form: DatasetUploadForm | null;
}

/** `DatasetUpload`, to be written. */
export interface DatasetUploadInput {
  signedUrl: string;
  datasetId: string;
  contentType: string;
  maxBytes: Int64Input;
  expiresAt?: Date | null | undefined;
  form?: DatasetUploadFormInput | null | undefined;
}

export interface DatasetUploadForm {
  /** Where the form is sent. */
  url: string;
  /** Its fields, which come before the file. */
  fields: Record<string, string>;
}

/** `DatasetUploadForm`, to be written. */
export interface DatasetUploadFormInput {
  url: string;
  fields: Readonly<Record<string, string | undefined>>;
}

export interface DatasetDownload {
  /** Gives the bytes for 15 minutes. */
  signedUrl: string;
  expiresAt: Date | null;
}

/** `DatasetDownload`, to be written. */
export interface DatasetDownloadInput {
  signedUrl: string;
  expiresAt?: Date | null | undefined;
}

export interface DatasetLineage {
  datasetId: string;
  /** The versions that the answer is about, the one that was asked for first; each of the others is an input of one before. */
  versions: LineageVersion[];
  /** Whether there is more behind the last ones. */
  isCut: boolean;
}

/** `DatasetLineage`, to be written. */
export interface DatasetLineageInput {
  datasetId: string;
  versions: readonly LineageVersionInput[];
  isCut: boolean;
}

export interface LineageVersion {
  /** Which version. */
  versionId: string;
  /** Of this dataset. */
  datasetId: string;
  /** As it is called now. */
  datasetName: string;
  /** From 1. */
  number: number;
  createdAt: Date | null;
  /** What it was made of. */
  source: VersionSource | null;
  /** Versions that have been removed meanwhile are still named here. */
  inputVersionIds: string[];
}

/** `LineageVersion`, to be written. */
export interface LineageVersionInput {
  versionId: string;
  datasetId: string;
  datasetName: string;
  number: number;
  createdAt?: Date | null | undefined;
  source?: VersionSourceInput | null | undefined;
  inputVersionIds: readonly string[];
}

export interface QueryResult {
  /** In the order in which the rows have them. */
  columns: ResultColumn[];
  /**
   * Each row is a list with a value for each column. Numbers that JSON cannot hold exactly, decimals, dates and times are
   * texts.
   */
  rows: JsonValue[];
  /** Whether there are more rows than the limit, or more bytes than an answer has. */
  isCut: boolean;
  /** Of the query itself. */
  seconds: number;
  /** Of a query that was to be explained: what is done, each operator before those that it reads from. Empty otherwise. */
  plan: PlanOperator[];
}

/** `QueryResult`, to be written. */
export interface QueryResultInput {
  columns: readonly ResultColumnInput[];
  rows: readonly JsonValueInput[];
  isCut: boolean;
  seconds: number;
  plan: readonly PlanOperatorInput[];
}

/** What is told of a query in place of its rows. */
export type QueryExplain =
  /** Its plan, without carrying it out. */
  | 'PLAN'
  /** Its plan, with how many rows there were and how long each part took: the query is carried out. */
  | 'ANALYZED';

/** A part of the plan of a query. */
export interface PlanOperator {
  /** As DuckDB calls it. */
  name: string;
  /** 0 is what answers; what has one more reads for the last one above it that has one less. */
  depth: number;
  /** How many rows the planner expects of it; null where it does not say. */
  estimatedRows: string | null;
  /** How many there were; null unless analysed. */
  rows: string | null;
  /** How long it took by itself, in all threads; null unless analysed. */
  seconds: number | null;
  /** What it works with: groups, filters, conditions. */
  details: Record<string, string>;
}

/** `PlanOperator`, to be written. */
export interface PlanOperatorInput {
  name: string;
  depth: number;
  estimatedRows?: Int64Input | null | undefined;
  rows?: Int64Input | null | undefined;
  seconds?: number | null | undefined;
  details: Readonly<Record<string, string | undefined>>;
}

export interface ResultColumn {
  /** As the query names it. */
  name: string;
  /** As DuckDB writes it. */
  type: string;
}

/** `ResultColumn`, to be written. */
export interface ResultColumnInput {
  name: string;
  type: string;
}

export interface DataDictionary {
  /** In the order of the columns. */
  entries: DataDictionaryEntry[];
}

/** `DataDictionary`, to be written. */
export interface DataDictionaryInput {
  entries: readonly DataDictionaryEntryInput[];
}

export interface DataDictionaryEntry {
  /** Of the column. */
  name: string;
  /** What it means, in words; empty: nobody has said. */
  description: string;
}

/** `DataDictionaryEntry`, to be written. */
export interface DataDictionaryEntryInput {
  name: string;
  description: string;
}

export interface DataDictionaryChanges {
  /** The numbers of the versions. */
  from: number;
  /** As `from`. */
  to: number;
  /** Columns that only the later version has. */
  added: ColumnMeaning[];
  /** Columns that only the earlier version has. */
  removed: ColumnMeaning[];
  /** Columns of both that are of another type or mean something else. */
  changed: ColumnChange[];
}

/** `DataDictionaryChanges`, to be written. */
export interface DataDictionaryChangesInput {
  from: number;
  to: number;
  added: readonly ColumnMeaningInput[];
  removed: readonly ColumnMeaningInput[];
  changed: readonly ColumnChangeInput[];
}

export interface ColumnMeaning {
  /** Of the column. */
  name: string;
  /** As DuckDB writes it. */
  type: string;
  /** What it means, in words; empty: nobody has said. */
  description: string;
}

/** `ColumnMeaning`, to be written. */
export interface ColumnMeaningInput {
  name: string;
  type: string;
  description: string;
}

export interface ColumnChange {
  /** Of the column. */
  name: string;
  /** In the version that is compared from. */
  before: ColumnMeaning | null;
  /** In the version that is compared to. */
  after: ColumnMeaning | null;
}

/** `ColumnChange`, to be written. */
export interface ColumnChangeInput {
  name: string;
  before?: ColumnMeaningInput | null | undefined;
  after?: ColumnMeaningInput | null | undefined;
}

export type DatasetFormat =
  /** What `csv` does not say is found out. Numbers with decimals are `DECIMAL` where that holds all of them exactly. */
  | 'CSV'
  /** One object a line. */
  | 'JSON_LINES'
  | 'PARQUET';

export interface UploadDatasetRequest {
  /** Of the dataset, chosen by the client: a new one, or one that is there, which gets another version. */
  id: string;
  /** What queries call it. */
  name: string;
  /** Of the bytes. */
  format: DatasetFormat;
  /** Of a dataset that is made by this; one that is there keeps its own. */
  description: string;
  /** Of a CSV alone. */
  csv: CsvOptions | null;
}

/** `UploadDatasetRequest`, to be written. */
export interface UploadDatasetRequestInput {
  id: string;
  name: string;
  format: DatasetFormat;
  description?: string | null | undefined;
  csv?: CsvOptionsInput | null | undefined;
}

export interface CreateDatasetRequest {
  /** Of the dataset, chosen by the client. */
  id: string;
  /** What queries call it. */
  name: string;
  /** What it holds, in words. */
  description: string;
  /** What it is read from. */
  source: NewDatasetSource;
}

/** `CreateDatasetRequest`, to be written. */
export interface CreateDatasetRequestInput {
  id: string;
  name: string;
  description?: string | null | undefined;
  source: NewDatasetSourceInput;
}

export interface RefreshDatasetRequest {
  datasetId: string;
}

/** `RefreshDatasetRequest`, to be written. */
export interface RefreshDatasetRequestInput {
  datasetId: string;
}

/** How a CSV is to be read. What is left out is found out. */
export interface CsvOptions {
  /** What stands between values: one character that is no letter and no digit. */
  delimiter: string;
  /**
   * What stands around values that have a delimiter, a quote or the end of a line in them: one such character. Within such a value it is
   * doubled.
   */
  quote: string;
  /** How its bytes stand for characters. */
  encoding: CsvEncoding;
  /** Whether the first line has the names of the columns. */
  hasHeader: boolean | null;
  /** What stands before the fraction of a number. */
  decimalSeparator: CsvDecimalSeparator;
  /**
   * All columns that the file has to have: by their names in any order where there is a header, one after the other where there
   * is none. What is not of its column's type is rejected. Empty: whatever there is.
   */
  columns: CsvColumn[];
  /** So many rows are left out and can be read as `rejected-rows`; with one more the upload has FAILED. */
  maxRejectedRows: number;
}

/** `CsvOptions`, to be written. */
export interface CsvOptionsInput {
  delimiter?: string | null | undefined;
  quote?: string | null | undefined;
  encoding?: CsvEncoding | null | undefined;
  hasHeader?: boolean | null | undefined;
  decimalSeparator?: CsvDecimalSeparator | null | undefined;
  columns?: readonly CsvColumnInput[] | null | undefined;
  maxRejectedRows?: number | null | undefined;
}

export type CsvEncoding =
  | 'UTF_8'
  | 'UTF_16'
  | 'LATIN_1';

export type CsvDecimalSeparator =
  | 'POINT'
  | 'COMMA';

export interface CsvColumn {
  /** As in the header, where there is one. */
  name: string;
  /**
   * `BOOLEAN`, `INTEGER`, `BIGINT`, `HUGEINT`, `DOUBLE`, `DECIMAL(18,2)` (up to 38 digits), `VARCHAR`, `DATE`, `TIME`, `TIMESTAMP`,
   * `TIMESTAMPTZ` or `UUID`.
   */
  type: string;
}

/** `CsvColumn`, to be written. */
export interface CsvColumnInput {
  name: string;
  type: string;
}

export interface CompleteDatasetUploadRequest {
  datasetId: string;
}

/** `CompleteDatasetUploadRequest`, to be written. */
export interface CompleteDatasetUploadRequestInput {
  datasetId: string;
}

export interface ListRejectedRowsRequest {
  datasetId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListRejectedRowsRequest`, to be written. */
export interface ListRejectedRowsRequestInput {
  datasetId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListRejectedRowsResponse {
  /** In the order of the file. */
  rejectedRows: RejectedRow[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListRejectedRowsResponse`, to be written. */
export interface ListRejectedRowsResponseInput {
  rejectedRows: readonly RejectedRowInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface ListDatasetsRequest {
  limit: number;
  cursor: string;
  includeTotal: boolean;
  order: SortOrder;
  /** Part of the name, whatever the case. */
  search: string;
}

/** `ListDatasetsRequest`, to be written. */
export interface ListDatasetsRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
  order?: SortOrder | null | undefined;
  search?: string | null | undefined;
}

export interface ListDatasetsResponse {
  /** By `order`, newest first unless given. */
  datasets: Dataset[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListDatasetsResponse`, to be written. */
export interface ListDatasetsResponseInput {
  datasets: readonly DatasetInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetDatasetRequest {
  datasetId: string;
}

/** `GetDatasetRequest`, to be written. */
export interface GetDatasetRequestInput {
  datasetId: string;
}

export interface UpdateDatasetRequest {
  datasetId: string;
  name: string;
  description: string;
  updateMask: FieldMask | null;
  /** Null: it is read from nothing any more. */
  source: NewDatasetSource | null;
}

/** `UpdateDatasetRequest`, to be written. */
export interface UpdateDatasetRequestInput {
  datasetId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  updateMask?: FieldMask | null | undefined;
  source?: NewDatasetSourceInput | null | undefined;
}

export interface DeleteDatasetRequest {
  datasetId: string;
}

/** `DeleteDatasetRequest`, to be written. */
export interface DeleteDatasetRequestInput {
  datasetId: string;
}

/** The answer to a delete. */
export interface DeletedDataset {
  /** Of the dataset that is gone. */
  id: string;
  deleted: boolean;
}

/** `DeletedDataset`, to be written. */
export interface DeletedDatasetInput {
  id: string;
  deleted: boolean;
}

export interface ListDatasetVersionsRequest {
  datasetId: string;
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListDatasetVersionsRequest`, to be written. */
export interface ListDatasetVersionsRequestInput {
  datasetId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListDatasetVersionsResponse {
  /** Newest first. */
  versions: DatasetVersion[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListDatasetVersionsResponse`, to be written. */
export interface ListDatasetVersionsResponseInput {
  versions: readonly DatasetVersionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetDatasetLineageRequest {
  datasetId: string;
  /** Its number; the current one unless given. */
  version: number;
}

/** `GetDatasetLineageRequest`, to be written. */
export interface GetDatasetLineageRequestInput {
  datasetId: string;
  version?: number | null | undefined;
}

export interface PreviewDatasetRequest {
  datasetId: string;
  /** Its number; the current one unless given. */
  version: number;
  /** The most rows to answer. */
  limit: number;
}

/** `PreviewDatasetRequest`, to be written. */
export interface PreviewDatasetRequestInput {
  datasetId: string;
  version?: number | null | undefined;
  limit?: number | null | undefined;
}

export interface DownloadDatasetRequest {
  datasetId: string;
  /** Its number; the current one unless given. */
  version: number;
}

/** `DownloadDatasetRequest`, to be written. */
export interface DownloadDatasetRequestInput {
  datasetId: string;
  version?: number | null | undefined;
}

export interface ReadDatasetFileRequest {
  datasetId: string;
  /** Its number; the current one unless given. */
  version: number;
  /** As what: Parquet as it is kept, a CSV with a header, or JSON lines. */
  format: DatasetFormat;
  /** A larger file is refused. */
  maxBytes: number;
}

/** `ReadDatasetFileRequest`, to be written. */
export interface ReadDatasetFileRequestInput {
  datasetId: string;
  version?: number | null | undefined;
  format: DatasetFormat;
  maxBytes: number;
}

export interface ReadDatasetFileAnswer {
  /** Of the first answer alone. */
  file: DatasetFileFacts | null;
  /** Of all others. */
  chunk: Buffer;
}

/** `ReadDatasetFileAnswer`, to be written. */
export interface ReadDatasetFileAnswerInput {
  file?: DatasetFileFactsInput | null | undefined;
  chunk: Uint8Array;
}

/** What the bytes are. */
export interface DatasetFileFacts {
  /** Of the dataset, as queries call it. */
  datasetName: string;
  /** Of the version. */
  versionId: string;
  /** The number of the version. */
  version: number;
  /** Of all of them. */
  sizeBytes: number;
}

/** `DatasetFileFacts`, to be written. */
export interface DatasetFileFactsInput {
  datasetName: string;
  versionId: string;
  version: number;
  sizeBytes: number;
}

export interface QueryDatasetsRequest {
  /** One SELECT in DuckDB's SQL, over datasets by their names. */
  query: string;
  /** The most rows to answer. */
  limit: number;
  /** Answers no rows but how the query is carried out, in `plan`. Absent: it is carried out. */
  explain: QueryExplain | null;
}

/** `QueryDatasetsRequest`, to be written. */
export interface QueryDatasetsRequestInput {
  query: string;
  limit?: number | null | undefined;
  explain?: QueryExplain | null | undefined;
}

export interface GetDataDictionaryRequest {
  datasetId: string;
}

/** `GetDataDictionaryRequest`, to be written. */
export interface GetDataDictionaryRequestInput {
  datasetId: string;
}

export interface UpdateDataDictionaryRequest {
  datasetId: string;
  /** Columns that are described anew; the others stay as they are. */
  entries: DataDictionaryEdit[];
}

/** `UpdateDataDictionaryRequest`, to be written. */
export interface UpdateDataDictionaryRequestInput {
  datasetId: string;
  entries: readonly DataDictionaryEditInput[];
}

export interface DataDictionaryEdit {
  /** Of the column. */
  name: string;
  /** What it means, in words; empty takes it back. */
  description: string;
}

/** `DataDictionaryEdit`, to be written. */
export interface DataDictionaryEditInput {
  name: string;
  description: string;
}

export interface CompareDataDictionariesRequest {
  datasetId: string;
  /** Their numbers. */
  from: number;
  /** As `from`. */
  to: number;
}

/** `CompareDataDictionariesRequest`, to be written. */
export interface CompareDataDictionariesRequestInput {
  datasetId: string;
  from: number;
  to: number;
}

export interface UploadDatasetFileRequest {
  ticket: string;
  contentType: string;
  /** The URL allows less. */
  chunk: Buffer;
  /** What the whole of the bytes is said to be: one that the URL does not allow is refused before any of it is there. */
  contentLength: string | null;
}

/** `UploadDatasetFileRequest`, to be written. */
export interface UploadDatasetFileRequestInput {
  ticket?: string | null | undefined;
  contentType?: string | null | undefined;
  chunk?: Uint8Array | null | undefined;
  contentLength?: Int64Input | null | undefined;
}

export interface UploadedDatasetFile {
  /** How many bytes have come. */
  sizeBytes: string;
  /** SHA-256 in hex. */
  checksum: string;
}

/** `UploadedDatasetFile`, to be written. */
export interface UploadedDatasetFileInput {
  sizeBytes: Int64Input;
  checksum: string;
}

export interface DownloadDatasetFileRequest {
  ticket: string;
}

/** `DownloadDatasetFileRequest`, to be written. */
export interface DownloadDatasetFileRequestInput {
  ticket: string;
}

export interface DatasetFilePiece {
  contentType: string;
  contentDisposition: string;
  contentLength: string;
  cacheControl: string;
  chunk: Buffer;
}

/** `DatasetFilePiece`, to be written. */
export interface DatasetFilePieceInput {
  contentType?: string | null | undefined;
  contentDisposition?: string | null | undefined;
  contentLength?: Int64Input | null | undefined;
  cacheControl?: string | null | undefined;
  chunk: Uint8Array;
}

/** What happens when it is due while an earlier execution still goes on. */
export type TaskOverlap =
  /** The execution is skipped, and its list shows that. */
  | 'SKIP'
  /** They go on side by side. */
  | 'ALLOW';

/** What happens about times at which the platform was down. */
export type TaskCatchUp =
  /** The latest of them is made up for. */
  | 'LATEST'
  /** Each of the last day is made up for. */
  | 'ALL'
  /** None that is later than a minute is. */
  | 'NONE';

/** Succeeded, failed and skipped are final. */
export type TaskExecutionStatus =
  | 'PENDING'
  | 'RUNNING'
  | 'SUCCEEDED'
  | 'FAILED'
  | 'SKIPPED';

export type TaskTrigger =
  | 'SCHEDULE'
  | 'MANUAL';

export interface TaskTemplate {
  /** What the assistant is asked each time. */
  instruction: string;
  id: string;
  organisationId: string;
  /** What it is called. */
  name: string;
  /** The `name` of the assistant. */
  assignee: string;
  /** What the assistant should look at beside what it finds. */
  context: TaskContext | null;
  /** Who is told when an execution is over; none: nobody. */
  notificationSettings: NotificationSetting[];
  /** Null: no schedule. */
  cronSchedule: string | null;
  /** Whether the schedule executes it. */
  scheduleEnabled: boolean;
  /** Null: from now on. */
  scheduleStartAt: Date | null;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** IANA name; the schedule's times are local to it. */
  timeZone: string;
  /** What becomes of a time of its schedule while an execution before it is not over. */
  overlap: TaskOverlap | null;
  catchUp: TaskCatchUp | null;
  /** Null: not by its schedule. */
  nextRunAt: Date | null;
  /** Why the platform has paused its schedule; null unless it has. */
  pausedReason: string | null;
  /** The user in whose name it is executed. */
  memberId: string;
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
  overlap: TaskOverlap | null;
  catchUp: TaskCatchUp | null;
  nextRunAt?: Date | null | undefined;
  pausedReason?: string | null | undefined;
  memberId: string;
}

/** One time that the assistant was given the instruction. */
export interface TaskExecution {
  id: string;
  /** Of this task template. */
  taskTemplateId: string;
  /** How far it is. */
  status: TaskExecutionStatus | null;
  /** What led to it. */
  trigger: TaskTrigger | null;
  /** When it was due; null when somebody has asked for it. */
  dueAt: Date | null;
  /** How often the assistant was asked. */
  attempts: number;
  /** Of the user in whose name it is done; null before the assistant was asked. */
  conversationId: string | null;
  /** The assistant's answer in that conversation; null before. */
  messageId: string | null;
  /** What the assistant has answered; empty before. */
  answer: string;
  /** Why there is no answer; null unless it has failed or was skipped. */
  error: string | null;
  createdAt: Date | null;
  /** Null until the assistant is asked. */
  startedAt: Date | null;
  /** Null until it is over. */
  finishedAt: Date | null;
  /** Empty in lists. */
  notifications: TaskNotification[];
}

/** `TaskExecution`, to be written. */
export interface TaskExecutionInput {
  id: string;
  taskTemplateId: string;
  status: TaskExecutionStatus | null;
  trigger: TaskTrigger | null;
  dueAt?: Date | null | undefined;
  attempts: number;
  conversationId?: string | null | undefined;
  messageId?: string | null | undefined;
  answer: string;
  error?: string | null | undefined;
  createdAt?: Date | null | undefined;
  startedAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
  notifications: readonly TaskNotificationInput[];
}

/** Soonest first, at most five. */
export interface ScheduleTimes {
  /** In UTC. */
  times: Date[];
}

/** `ScheduleTimes`, to be written. */
export interface ScheduleTimesInput {
  times: readonly Date[];
}

/** What an assistant should look at: documents, datasets, anything a client names. */
export interface TaskContext {
  /** Any JSON values: what the client names. */
  entities: JsonValue[];
}

/** `TaskContext`, to be written. */
export interface TaskContextInput {
  entities: readonly JsonValueInput[];
}

/** The answer to a delete. */
export interface Deleted {
  /** Of what is gone. */
  id: string;
  deleted: boolean;
}

/** `Deleted`, to be written. */
export interface DeletedInput {
  id: string;
  deleted: boolean;
}

export interface CreateTaskTemplateRequest {
  /** What the assistant is asked each time. */
  instruction: string;
  /** What it is called. */
  name: string;
  /** Null or absent: the default assistant. */
  assignee: string | null;
  /** What the assistant should look at beside what it finds. */
  context: TaskContext;
  /** Who is told when an execution is over; none: nobody. */
  notificationSettings: NotificationSetting[];
  /** When it is executed. Null or absent: only when somebody asks for it. */
  cronSchedule: string | null;
  /** Whether the schedule executes it; with it there has to be a `cron_schedule`. */
  scheduleEnabled: boolean;
  /** Nothing is executed before. Null or absent: from now on. */
  scheduleStartAt: Date | null;
  /** IANA name; the schedule's times are local to it. */
  timeZone: string;
  /** What becomes of a time of its schedule while an execution before it is not over. */
  overlap: TaskOverlap;
  catchUp: TaskCatchUp;
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
  overlap?: TaskOverlap | null | undefined;
  catchUp?: TaskCatchUp | null | undefined;
}

export interface UpdateTaskTemplateRequest {
  templateId: string;
  instruction: string;
  name: string;
  /** Null or absent: the default assistant. */
  assignee: string | null;
  context: TaskContext | null;
  notificationSettings: NotificationSetting[];
  /** When it is executed. Null ends the schedule. */
  cronSchedule: string | null;
  scheduleEnabled: boolean;
  /** Nothing is executed before. Null: from now on. */
  scheduleStartAt: Date | null;
  /** IANA name; the schedule's times are local to it. */
  timeZone: string;
  /** What becomes of a time of its schedule while an execution before it is not over. */
  overlap: TaskOverlap | null;
  catchUp: TaskCatchUp | null;
  updateMask: FieldMask | null;
}

/** `UpdateTaskTemplateRequest`, to be written. */
export interface UpdateTaskTemplateRequestInput {
  templateId: string;
  instruction?: string | null | undefined;
  name?: string | null | undefined;
  assignee?: string | null | undefined;
  context?: TaskContextInput | null | undefined;
  notificationSettings?: readonly NotificationSettingInput[] | null | undefined;
  cronSchedule?: string | null | undefined;
  scheduleEnabled?: boolean | null | undefined;
  scheduleStartAt?: Date | null | undefined;
  timeZone?: string | null | undefined;
  overlap?: TaskOverlap | null | undefined;
  catchUp?: TaskCatchUp | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteTaskTemplateRequest {
  templateId: string;
}

/** `DeleteTaskTemplateRequest`, to be written. */
export interface DeleteTaskTemplateRequestInput {
  templateId: string;
}

export interface ListTaskTemplatesRequest {
  /** Only those whose schedule is, or is not. */
  scheduleEnabled: boolean | null;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListTaskTemplatesRequest`, to be written. */
export interface ListTaskTemplatesRequestInput {
  scheduleEnabled?: boolean | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListTaskTemplatesResponse {
  /** By `order`, newest first unless given. */
  taskTemplates: TaskTemplate[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListTaskTemplatesResponse`, to be written. */
export interface ListTaskTemplatesResponseInput {
  taskTemplates: readonly TaskTemplateInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetTaskTemplateRequest {
  templateId: string;
}

/** `GetTaskTemplateRequest`, to be written. */
export interface GetTaskTemplateRequestInput {
  templateId: string;
}

export interface PauseTaskTemplateRequest {
  templateId: string;
}

/** `PauseTaskTemplateRequest`, to be written. */
export interface PauseTaskTemplateRequestInput {
  templateId: string;
}

export interface ResumeTaskTemplateRequest {
  templateId: string;
}

/** `ResumeTaskTemplateRequest`, to be written. */
export interface ResumeTaskTemplateRequestInput {
  templateId: string;
}

export interface RunTaskTemplateRequest {
  templateId: string;
  /** Requests of one caller with the same key are one and the same. */
  idempotencyKey: string;
}

/** `RunTaskTemplateRequest`, to be written. */
export interface RunTaskTemplateRequestInput {
  templateId: string;
  idempotencyKey?: string | null | undefined;
}

export interface PreviewScheduleRequest {
  /** Whose times are asked for. */
  cronSchedule: string;
  /** IANA name. */
  timeZone: string;
  /** No time before it; absent: from now on. */
  scheduleStartAt: Date | null;
}

/** `PreviewScheduleRequest`, to be written. */
export interface PreviewScheduleRequestInput {
  cronSchedule: string;
  timeZone?: string | null | undefined;
  scheduleStartAt?: Date | null | undefined;
}

export interface PreviewTaskTemplateRequest {
  templateId: string;
}

/** `PreviewTaskTemplateRequest`, to be written. */
export interface PreviewTaskTemplateRequestInput {
  templateId: string;
}

export interface ListTaskExecutionsRequest {
  templateId: string;
  /** Any of these. */
  status: TaskExecutionStatus[];
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListTaskExecutionsRequest`, to be written. */
export interface ListTaskExecutionsRequestInput {
  templateId: string;
  status?: readonly TaskExecutionStatus[] | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListTaskExecutionsResponse {
  /** By `order`, newest first unless given. */
  executions: TaskExecution[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListTaskExecutionsResponse`, to be written. */
export interface ListTaskExecutionsResponseInput {
  executions: readonly TaskExecutionInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetTaskExecutionRequest {
  templateId: string;
  executionId: string;
}

/** `GetTaskExecutionRequest`, to be written. */
export interface GetTaskExecutionRequestInput {
  templateId: string;
  executionId: string;
}

export type NotificationMethod =
  | 'EMAIL'
  | 'SLACK'
  | 'WEBHOOK';

/** Which ends of runs are told. */
export type NotifyOn =
  /** Of those that have failed or could not be started. */
  | 'FAILURE'
  /** Of all, those that were cancelled among them. */
  | 'FINISH';

export type NotificationStatus =
  /** Not sent yet, or to be tried again. */
  | 'PENDING'
  | 'SENT'
  /** Given up. */
  | 'FAILED';

/** Whom the end of an execution or a run is told. */
export interface TaskNotification {
  /** By which way. */
  method: NotificationMethod | null;
  /** A user's id, a channel's, or a webhook's. */
  recipient: string;
  /** Whether it has arrived there. */
  status: NotificationStatus | null;
  /** Oldest first. */
  attempts: NotificationAttempt[];
}

/** `TaskNotification`, to be written. */
export interface TaskNotificationInput {
  method: NotificationMethod | null;
  recipient: string;
  status: NotificationStatus | null;
  attempts: readonly NotificationAttemptInput[];
}

export interface NotificationAttempt {
  /** When it was tried. */
  at: Date | null;
  /** Null: it was sent. */
  error: string | null;
}

/** `NotificationAttempt`, to be written. */
export interface NotificationAttemptInput {
  at?: Date | null | undefined;
  error?: string | null | undefined;
}

/** Where the end of an execution or a run is told. */
export interface NotificationSetting {
  /** To members of the organisation. */
  email: EmailNotification | null;
  /** To channels. */
  slack: SlackNotification | null;
  /** To webhooks of the organisation. */
  webhook: WebhookNotification | null;
}

/** `NotificationSetting`, to be written. */
export interface NotificationSettingInput {
  email?: EmailNotificationInput | null | undefined;
  slack?: SlackNotificationInput | null | undefined;
  webhook?: WebhookNotificationInput | null | undefined;
}

export interface EmailNotification {
  /** Members; who is none any more when it is sent gets nothing. */
  userIds: string[];
}

/** `EmailNotification`, to be written. */
export interface EmailNotificationInput {
  userIds: readonly string[];
}

export interface SlackNotification {
  /** Ids of channels that are bound to this organisation where the platform is set up; telling any other one fails, and says so. */
  channelIds: string[];
}

/** `SlackNotification`, to be written. */
export interface SlackNotificationInput {
  channelIds: readonly string[];
}

export interface WebhookNotification {
  /** Ids of webhooks; one that was removed meanwhile or is not enabled is told nothing. */
  webhookIds: string[];
}

/** `WebhookNotification`, to be written. */
export interface WebhookNotificationInput {
  webhookIds: readonly string[];
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
  /** None of the terms of its `when` held: it has made nothing and costs nothing, and what waits for it goes on. */
  | 'Skipped'
  /** The run had ended otherwise before it could begin. */
  | 'Omitted';

/** What a comparison looks at. */
export type ConditionSubject =
  /** The value of a parameter of the version. */
  | 'PARAMETER'
  /** How many rows an input dataset of the step has: the version that the step would read, 0 where there is none. */
  | 'ROW_COUNT'
  /** How another step has ended, for which the step waits then: `Succeeded` or `Skipped`. After a failure no step begins. */
  | 'STEP_STATUS';

export type ComparisonOperator =
  | 'EQUALS'
  | 'NOT_EQUALS'
  /** Of numbers, dates and times, as those that follow. With null none of them holds. */
  | 'LESS_THAN'
  | 'LESS_OR_EQUAL'
  | 'GREATER_THAN'
  | 'GREATER_OR_EQUAL';

/** What the query of a step is. */
export type QueryType =
  | 'SQL'
  | 'PYTHON'
  | 'NOTEBOOK'
  | 'HTTP'
  | 'LLM'
  | 'PIPELINE';

/** What becomes of a row to which a language model gives no answer that could be used. */
export type LlmRowErrors =
  /** The step fails. */
  | 'FAIL'
  /** The row stays, without an answer, and says why. */
  | 'COLUMN';

export type HttpMethod =
  | 'GET'
  | 'POST'
  | 'PUT'
  | 'PATCH'
  | 'DELETE';

/** How the rows of an answer are read. */
export type HttpResponseFormat =
  /** An array of objects, or one object. */
  | 'JSON'
  /** An object in each line. */
  | 'JSONL'
  /** With a header. */
  | 'CSV';

/** What becomes of the rows that a dataset has when a step makes some for it. */
export type OutputMode =
  /** The new version has the new rows alone. */
  | 'OVERWRITE'
  /** It has the rows of the version before, and the new ones behind them. */
  | 'APPEND'
  /** Likewise, but for rows of before that have the same values in `merge_keys` as a new one. */
  | 'MERGE';

export type JobType =
  | 'TRANSFORM'
  | 'INGEST'
  | 'EXPORT'
  | 'CHECK';

/** Of what type the values of a parameter are. */
export type ParameterType =
  | 'STRING'
  /** Whole numbers up to 2^53 - 1, and likewise below zero. BIGINT in SQL. */
  | 'INTEGER'
  /** DOUBLE in SQL. */
  | 'NUMBER'
  | 'BOOLEAN'
  /** A text such as 2026-07-01. */
  | 'DATE'
  /** A text such as 2026-07-01T12:00:00Z, kept as UTC. TIMESTAMP in SQL. */
  | 'TIMESTAMP';

/** In which order the steps of a version run. */
export type StepOrder =
  /**
   * A step waits for those whose outputs it reads, and for the checks before it of what it reads; all others run side by
   * side.
   */
  | 'DATASETS'
  /** One after the other, as they are listed. */
  | 'LISTED';

/** What becomes of a time of a schedule while runs that it has started before are not over. */
export type PipelineOverlap =
  /** It starts nothing. */
  | 'SKIP'
  /** Its run waits for its place, if none of the schedule waits already; otherwise it starts nothing. */
  | 'BUFFER_ONE'
  /** Each starts a run, which waits for its place however many do. */
  | 'ALLOW'
  /** Those runs are cancelled, and it starts one. */
  | 'CANCEL_OTHER';

/** What led to a run. */
export type RunTrigger =
  /** Somebody asked for it. */
  | 'API'
  /** The pipeline's schedule was due. */
  | 'SCHEDULE'
  /** One of the pipeline's inputs has a new version. */
  | 'EVENT'
  /** An assistant or a task. */
  | 'TASK'
  /** The rest of a run that failed. */
  | 'RETRY'
  /** A step of another run. */
  | 'PIPELINE'
  /** A backfill. */
  | 'BACKFILL';

/** How much a list says of each run. */
export type RunView =
  /** `workflow_manifest` and `workflow_metadata` are empty, and `pipeline_version` has no steps. */
  | 'BASIC'
  /** Everything that the run says of itself when it is read alone, but what is said to be left out of lists. */
  | 'FULL';

export interface Pipeline {
  /** What it is called. */
  name: string;
  /** What it is for; may be empty. */
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
  archived: boolean;
  /** IANA name; the schedule's times are local to it. */
  timeZone: string;
  /**
   * Whether a new version of a dataset that it reads starts a run: neither one that it makes itself, nor one that comes of its own
   * run through other pipelines. Versions that come while such a run waits for its place are read by that one.
   */
  runsOnNewData: boolean;
  /** So many of its runs go on at the same time, the others wait. */
  maxConcurrentRuns: number;
  updatedAt: Date | null;
  /** A run that takes longer fails, counted from when it gets its place. */
  runTimeLimitSeconds: number;
  /** Whether its schedule, where it has one, starts runs. */
  scheduleEnabled: boolean;
  /** When its schedule starts a run next. Null: never, as things are. */
  nextRunAt: Date | null;
  /**
   * Why its schedule starts no runs without anybody having asked for that: five of them failed one after the other, or there
   * is no version yet. Null otherwise.
   */
  pausedReason: string | null;
  overlap: PipelineOverlap | null;
  tags: string[];
  notificationSettings: NotificationSetting[];
  notifyOn: NotifyOn | null;
  /** What runs are started with that its schedule or new data start; other parameters have their defaults. */
  scheduleParameters: Record<string, JsonValue>;
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
  archived: boolean;
  timeZone: string;
  runsOnNewData: boolean;
  maxConcurrentRuns: number;
  updatedAt?: Date | null | undefined;
  runTimeLimitSeconds: number;
  scheduleEnabled: boolean;
  nextRunAt?: Date | null | undefined;
  pausedReason?: string | null | undefined;
  overlap: PipelineOverlap | null;
  tags: readonly string[];
  notificationSettings: readonly NotificationSettingInput[];
  notifyOn: NotifyOn | null;
  scheduleParameters: Readonly<Record<string, JsonValueInput | undefined>>;
}

/** A pipeline in a list: without its steps and runs. */
export interface PipelineSummary {
  /** What it is called. */
  name: string;
  /** What it is for; may be empty. */
  description: string;
  id: string;
  organisationId: string;
  /** Null before the first version is published. */
  currentVersionId: string | null;
  /** Null: runs only when started by hand. */
  cronSchedule: string | null;
  createdAt: Date | null;
  archived: boolean;
  updatedAt: Date | null;
  /** Whether its schedule, where it has one, starts runs. */
  scheduleEnabled: boolean;
  /** When its schedule starts a run next. Null: never, as things are. */
  nextRunAt: Date | null;
  /** Why its schedule starts no runs without anybody having asked for that. Null otherwise. */
  pausedReason: string | null;
  tags: string[];
}

/** `PipelineSummary`, to be written. */
export interface PipelineSummaryInput {
  name: string;
  description: string;
  id: string;
  organisationId: string;
  currentVersionId?: string | null | undefined;
  cronSchedule?: string | null | undefined;
  createdAt?: Date | null | undefined;
  archived: boolean;
  updatedAt?: Date | null | undefined;
  scheduleEnabled: boolean;
  nextRunAt?: Date | null | undefined;
  pausedReason?: string | null | undefined;
  tags: readonly string[];
}

/** A version never changes once it is published. */
export interface PipelineVersion {
  id: string;
  /** Of this pipeline. */
  pipelineId: string;
  /** In the order in which they were given. */
  steps: Step[];
  createdAt: Date | null;
  /** 1 for a pipeline's first version. */
  number: number;
  stepOrder: StepOrder | null;
  /** What its runs are started with beside datasets. */
  parameters: PipelineParameter[];
}

/** `PipelineVersion`, to be written. */
export interface PipelineVersionInput {
  id: string;
  pipelineId: string;
  steps: readonly StepInput[];
  createdAt?: Date | null | undefined;
  number: number;
  stepOrder: StepOrder | null;
  parameters: readonly PipelineParameterInput[];
}

/**
 * A value that runs of a version are started with. SQL has it as `getvariable('name')`, of its type and never as a part of the text;
 * PYTHON and NOTEBOOK steps as a variable; prompts of LLM steps, and URLs and bodies of HTTP steps, as `{{parameters.name}}`.
 */
export interface PipelineParameter {
  /** Without regard to case among those of a version. */
  name: string;
  type: ParameterType | null;
  /** Of runs that are started without one. Null or absent: none, and the value is null unless it is required. */
  defaultValue: JsonValue | null;
  /** Whether no run starts without a value; it has no default then. */
  required: boolean;
  /** What it is for; may be empty. */
  description: string;
}

/** `PipelineParameter`, to be written. */
export interface PipelineParameterInput {
  name: string;
  type: ParameterType | null;
  defaultValue?: JsonValueInput | null | undefined;
  required: boolean;
  description: string;
}

export interface Step {
  id: string;
  /** Unique among the steps of the version, whatever the case. */
  name: string;
  createdAt: Date | null;
  /** What the step does. */
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
  /** The text of the query or the program; of a NOTEBOOK step the id of the notebook. */
  query: string;
  /** What it reads: ids or names. */
  inputDatasets: string[];
  /** What it writes: ids or names. */
  outputDatasets: string[];
  jobType: JobType | null;
  /** Beyond it the step fails. */
  timeLimitSeconds: number;
  /** Likewise. */
  memoryLimitMb: number;
  /** Of PYTHON, NOTEBOOK and LLM steps. */
  parameters: Record<string, JsonValue>;
  /** Null: a failure of the step is the run's. */
  retryPolicy: RetryPolicy | null;
  /** A step that makes more rows fails, with the `error_code` `too_many_rows`. Null: any number. */
  rowLimit: number | null;
  /** What becomes of the rows that its dataset has already. */
  outputMode: OutputMode | null;
  /** The columns by which MERGE knows a row. */
  mergeKeys: string[];
  /** Null but for an HTTP step. */
  http: HttpRequest | null;
  /** Null but for an LLM step. */
  llm: LlmSettings | null;
  /** Of a PIPELINE step that always starts the same version. Null: the one that is current then. */
  pipelineVersionId: string | null;
  /** It is carried out where one of these holds, and otherwise Skipped. Empty: always. */
  when: ConditionTerm[];
  /** Of a PIPELINE step that starts several runs. Null: one. */
  forEach: ForEach | null;
}

/** `StepConfig`, to be written. */
export interface StepConfigInput {
  queryType: QueryType | null;
  query: string;
  inputDatasets: readonly string[];
  outputDatasets: readonly string[];
  jobType: JobType | null;
  timeLimitSeconds: number;
  memoryLimitMb: number;
  parameters: Readonly<Record<string, JsonValueInput | undefined>>;
  retryPolicy?: RetryPolicyInput | null | undefined;
  rowLimit?: number | null | undefined;
  outputMode: OutputMode | null;
  mergeKeys: readonly string[];
  http?: HttpRequestInput | null | undefined;
  llm?: LlmSettingsInput | null | undefined;
  pipelineVersionId?: string | null | undefined;
  when: readonly ConditionTermInput[];
  forEach?: ForEachInput | null | undefined;
}

/** A run for each of these values of a parameter. */
export interface ForEach {
  /** Of the other pipeline, or of steps of it. */
  parameter: string;
  /** Each once. Runs begin in this order. */
  values: JsonValue[];
  /** So many of the runs go on at once. */
  concurrency: number;
}

/** `ForEach`, to be written. */
export interface ForEachInput {
  parameter: string;
  values: readonly JsonValueInput[];
  concurrency: number;
}

/** A part of a condition. Terms are alternatives. */
export interface ConditionTerm {
  /** It holds where all of these do. */
  all: Comparison[];
}

/** `ConditionTerm`, to be written. */
export interface ConditionTermInput {
  all: readonly ComparisonInput[];
}

/** Something of a run beside a value. */
export interface Comparison {
  subject: ConditionSubject | null;
  /** Of the parameter, the input dataset or the step. */
  name: string;
  operator: ComparisonOperator | null;
  /** Of the type of the parameter, a whole number of rows, `Succeeded` or `Skipped`. A parameter without a value equals null. */
  value: JsonValue | null;
}

/** `Comparison`, to be written. */
export interface ComparisonInput {
  subject: ConditionSubject | null;
  name: string;
  operator: ComparisonOperator | null;
  value?: JsonValueInput | null | undefined;
}

/**
 * How an LLM step asks its language model. The step fails with the `error_code` `no_language_model`, `payment_required`, `too_many_input_rows`,
 * `unknown_column` or `unusable_answer` where it fails as a whole, and `model_unavailable` where nobody answers. What was answered before is neither asked nor paid again
 * when the step is begun once more, after a failure or because a machine was lost.
 */
export interface LlmSettings {
  /** One of those that this platform offers; empty: the usual one. */
  model: string;
  /** How it shall answer; empty: with the text alone. */
  instructions: string;
  /** The column of an answer in text. */
  outputColumn: string;
  /** For an answer in JSON: a JSON schema of an object, whose properties are columns in place of the one of text. The answer is held against it. */
  jsonSchema: JsonObject | null;
  /** 0 to 2; null: as the model is set. */
  temperature: number | null;
  /** Of each answer, and never more than the model may write. Null: as much as that. */
  maxOutputTokens: number | null;
  rowErrors: LlmRowErrors | null;
  /** Where `row_errors` is COLUMN, it says there why a row has no answer. */
  errorColumn: string;
  /** Of one call; beyond it the row has no answer. */
  callTimeoutSeconds: number;
}

/** `LlmSettings`, to be written. */
export interface LlmSettingsInput {
  model: string;
  instructions: string;
  outputColumn: string;
  jsonSchema?: JsonObjectInput | null | undefined;
  temperature?: number | null | undefined;
  maxOutputTokens?: number | null | undefined;
  rowErrors: LlmRowErrors | null;
  errorColumn: string;
  callTimeoutSeconds: number;
}

/** What an HTTP step sends, without its secrets. */
export interface HttpRequest {
  /** By which it calls. */
  method: HttpMethod | null;
  /** Those that anybody may see. */
  headers: Record<string, string>;
  /** Headers whose values are kept sealed, and shown to nobody. */
  secretHeaderNames: string[];
  /** With its placeholders; empty: the rows of the input dataset, if there is one. */
  body: string;
  responseFormat: HttpResponseFormat | null;
  /** Where in a JSON answer the rows are; empty: it is the rows. */
  rowsPath: string;
}

/** `HttpRequest`, to be written. */
export interface HttpRequestInput {
  method: HttpMethod | null;
  headers: Readonly<Record<string, string | undefined>>;
  secretHeaderNames: readonly string[];
  body: string;
  responseFormat: HttpResponseFormat | null;
  rowsPath: string;
}

/**
 * When a step that has failed is begun again, in the words of Temporal. What was lost with a machine is begun again whatever stands
 * here, three times at most.
 */
export interface RetryPolicy {
  /** So often it is begun at most by failures, the first time included. */
  maximumAttempts: number;
  /** The pause after the first failure. */
  initialIntervalSeconds: number;
  /** What each pause is multiplied by for the next one. */
  backoffCoefficient: number;
  /** No pause is longer. */
  maximumIntervalSeconds: number;
  /** Failures after which it is not begun again, by the `error_code` of a step: `check_failed`, `out_of_memory`, `timed_out`, … */
  nonRetryableErrorTypes: string[];
}

/** `RetryPolicy`, to be written. */
export interface RetryPolicyInput {
  maximumAttempts: number;
  initialIntervalSeconds: number;
  backoffCoefficient: number;
  maximumIntervalSeconds: number;
  nonRetryableErrorTypes: readonly string[];
}

export interface PipelineRun {
  id: string;
  /** The version that it carries out. */
  pipelineConfigVersionId: string;
  /** By which the engine knows it. */
  name: string;
  status: RunStatus | null;
  /** The workflow as it was handed to the engine. */
  workflowManifest: JsonObject | null;
  /** What the engine reported about it. */
  workflowMetadata: JsonObject | null;
  /** The version that it carries out. */
  pipelineVersion: PipelineVersion | null;
  createdAt: Date | null;
  /** Null until finished. */
  finishedAt: Date | null;
  /** In the order of the version. */
  runSteps: RunStep[];
  /** What led to it. */
  trigger: RunTrigger | null;
  /** Null unless it goes on with that run. */
  retryOfRunId: string | null;
  /** Null until its first step starts. */
  startedAt: Date | null;
  /** Why it ended as it did, or what it waits for before its first step begins, which lists leave out. Empty otherwise. */
  message: string;
  /**
   * How many of the organisation's runs have waited as long as it, itself included, while it waits for a place. Null otherwise and in
   * lists.
   */
  queuePosition: number | null;
  /** It fails when it takes longer, counted from when it gets its place. */
  timeLimitSeconds: number;
  /** Those of its pipeline when it was started, and those that it was started with. */
  tags: string[];
  /** What became of telling its end to those whom its pipeline names. Empty before its end, and in lists. */
  notifications: TaskNotification[];
  /** The run of which a step has started it. Null: none has. */
  parentRun: RunReference | null;
  /** What it was started with: a value of each parameter of its version. */
  parameters: Record<string, JsonValue>;
  /** The backfill that has started it. Null: none has. */
  backfillId: string | null;
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
  trigger: RunTrigger | null;
  retryOfRunId?: string | null | undefined;
  startedAt?: Date | null | undefined;
  message: string;
  queuePosition?: number | null | undefined;
  timeLimitSeconds: number;
  tags: readonly string[];
  notifications: readonly TaskNotificationInput[];
  parentRun?: RunReferenceInput | null | undefined;
  parameters: Readonly<Record<string, JsonValueInput | undefined>>;
  backfillId?: string | null | undefined;
}

export interface RunReference {
  pipelineId: string;
  runId: string;
}

/** `RunReference`, to be written. */
export interface RunReferenceInput {
  pipelineId: string;
  runId: string;
}

export interface RunStep {
  /** Of the step in its version. */
  name: string;
  /** The `name` of the run. */
  runName: string;
  /** How far it is. */
  status: StepStatus | null;
  /** Null until started. */
  startedAt: Date | null;
  /** Null until finished. */
  finishedAt: Date | null;
  /** Why it ended as it did, was begun again, or what a step that is Pending waits for. Empty otherwise. */
  message: string;
}

/** `RunStep`, to be written. */
export interface RunStepInput {
  name: string;
  runName: string;
  status: StepStatus | null;
  startedAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
  message: string;
}

export interface NewStep {
  /** Unique among the steps of a version without regard to case. */
  name: string;
  /** What the step does. */
  config: NewStepConfig;
}

/** `NewStep`, to be written. */
export interface NewStepInput {
  name: string;
  config: NewStepConfigInput;
}

export interface NewStepConfig {
  queryType: QueryType;
  /**
   * SQL: one SELECT over the input datasets, by their names.
   *
   * PYTHON: a program, which runs in a kernel of its own and has an object `datasets`. `datasets.read("orders")` is a list of
   * dicts, `datasets.rows("orders")` goes through them one by one, `datasets.frame("orders")` is a pandas DataFrame where
   * pandas is, and `datasets.write("result", rows)` keeps rows or a DataFrame as the output dataset. Names are without
   * regard to case. A CHECK fails when its program raises, or writes rows to `failed_rows`. What a program prints is the log of
   * its step, and a traceback is its message. A dataset has up to 64 MiB as JSON lines there, an output likewise. What the
   * kernel does not take for Python is refused.
   *
   * NOTEBOOK: the id of a notebook, or its name, in whose place the version keeps the id. It runs as it is when the step
   * begins, cell after cell, and has `datasets` as a program has it.
   *
   * HTTP: the URL that is called, as `http` says. It begins with https:// and leads to a public address. Behind its server `{{parameters.day}}` stands
   * for a parameter of the version.
   *
   * LLM: what a language model is asked for each row of the input dataset, or once where there is none, as `llm` says. `{{row.region}}` stands
   * for a column of the row, `{{row}}` for all of it in JSON, `{{parameters.tone}}` for one of the `parameters` of the step or the version. The output has the columns of the row and those
   * of the answer, which is data and nothing else.
   *
   * PIPELINE: the id of another pipeline, of which the step starts a run and waits for its end, in the name of whoever the run itself is for. `parameters` take
   * the place of those of its steps that have their names. `output_datasets` are those that it makes, for steps that come after; none: it is only waited for. It fails with `run_failed`
   * where that run does, `no_output`, `pipeline_cycle`, `too_deep` (more than five wait for each other), `timed_out`, or with why it could not be started.
   */
  query: string;
  /** Ids or names: of datasets that are there, or of outputs of other steps. A PYTHON or NOTEBOOK step reads at most 20. */
  inputDatasets: string[];
  /** Ids or names. What is not there yet is made by the first run that succeeds. */
  outputDatasets: string[];
  jobType: JobType;
  /** Beyond it the step fails. */
  timeLimitSeconds: number;
  /** Beyond it the step fails; mebibytes. */
  memoryLimitMb: number;
  /**
   * Variables of a PYTHON or NOTEBOOK step, by their names: those to which a cell tagged `parameters` gives a default, and
   * others. Of an LLM step what its prompt names.
   */
  parameters: Record<string, JsonValue>;
  /** When it is begun again after a failure. Null or absent: a failure of the step is the run's. */
  retryPolicy: RetryPolicy | null;
  /** It fails where it makes more rows, and keeps none of them; not for a CHECK, which makes none. Null or absent: any number. */
  rowLimit: number | null;
  /**
   * Of a SQL step. APPEND and MERGE keep the columns of the dataset and their types: a result with other columns fails with `columns_differ`. A
   * version that somebody else has made meanwhile is not lost: the step is done again upon it. Runs that have such a step are carried out
   * by the platform itself, also where others are Argo's.
   */
  outputMode: OutputMode;
  /**
   * Of MERGE, which needs them: the columns by which it knows a row. Two new rows with the same values fail with `duplicate_key`; null is
   * a value as others are.
   */
  mergeKeys: string[];
  /** Of an HTTP step, which needs it. */
  http: NewHttpRequest | null;
  /** Of an LLM step; absent: all as usual. */
  llm: LlmSettings | null;
  /** Of a PIPELINE step: a version of that pipeline. Null or absent: the one that is current when the step begins. */
  pipelineVersionId: string | null;
  /**
   * A condition. It is decided when the step would begin: it is carried out where one of these terms holds, and otherwise Skipped. Empty: always.
   * What waits for a step that was skipped goes on; where it reads the dataset of that one, it reads the version that is there, and fails with
   * `unknown_table` where there is none.
   */
  when: ConditionTerm[];
  /**
   * Of a PIPELINE step: it starts a run for each of these values, waits for all, and fails with the first that does, as then the others are cancelled. Its
   * output datasets are as the last of them has left them. Null or absent: one run.
   */
  forEach: ForEach | null;
}

/** `NewStepConfig`, to be written. */
export interface NewStepConfigInput {
  queryType?: QueryType | null | undefined;
  query: string;
  inputDatasets?: readonly string[] | null | undefined;
  outputDatasets?: readonly string[] | null | undefined;
  jobType?: JobType | null | undefined;
  timeLimitSeconds?: number | null | undefined;
  memoryLimitMb?: number | null | undefined;
  parameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
  retryPolicy?: RetryPolicyInput | null | undefined;
  rowLimit?: number | null | undefined;
  outputMode?: OutputMode | null | undefined;
  mergeKeys?: readonly string[] | null | undefined;
  http?: NewHttpRequestInput | null | undefined;
  llm?: LlmSettingsInput | null | undefined;
  pipelineVersionId?: string | null | undefined;
  when?: readonly ConditionTermInput[] | null | undefined;
  forEach?: ForEachInput | null | undefined;
}

/**
 * What an HTTP step sends. It succeeds with an answer between 200 and 299, and fails otherwise, with the `error_code` `http_404` or whatever
 * the status was, `http_unreachable`, `http_refused` for an address that is not public, or `timed_out`: by these its `retry_policy` has it begun
 * again. All attempts of a step of a run bear the same `Idempotency-Key`, so that who knows that header does nothing twice.
 */
export interface NewHttpRequest {
  /** By which it calls; a GET sends nothing. */
  method: HttpMethod;
  /** Those that anybody may see. */
  headers: Record<string, string>;
  /**
   * Headers that nobody is shown again, such as `Authorization`. An empty value keeps the one that the step of this name has in the
   * current version, where that calls the same server.
   */
  secretHeaders: Record<string, string>;
  /**
   * In it `{{rows}}` stands for the rows of the input dataset, as an array of objects in JSON, `{{run_id}}` for the id of the run, `{{step}}`
   * for the name of the step as a text in JSON, and `{{parameters.day}}` for the value of a parameter in JSON. Without it a step with an input dataset sends that array. At most 4 MiB are sent.
   */
  body: string;
  /**
   * Of a step with an output dataset, whose rows the answer is read as: 32 MiB at most. One without rows leaves the dataset the columns that
   * it has, and fails where it has none yet.
   */
  responseFormat: HttpResponseFormat;
  /** Where in a JSON answer the array of rows is: names with dots between. Empty: the answer is the array. */
  rowsPath: string;
}

/** `NewHttpRequest`, to be written. */
export interface NewHttpRequestInput {
  method?: HttpMethod | null | undefined;
  headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  secretHeaders?: Readonly<Record<string, string | undefined>> | null | undefined;
  body?: string | null | undefined;
  responseFormat?: HttpResponseFormat | null | undefined;
  rowsPath?: string | null | undefined;
}

export interface CreatePipelineRequest {
  name: string;
  description: string;
  referenceNotes: string;
  /** When runs are started. Null or absent: only by hand, or by new data. */
  cronSchedule: string | null;
  timeZone: string;
  /** Whether a new version of a dataset that it reads starts a run. */
  runsOnNewData: boolean;
  /** So many of its runs go on at the same time, the others wait. */
  maxConcurrentRuns: number;
  /** None: without a version for now. */
  steps: NewStep[];
  stepOrder: StepOrder;
  /** Of a whole run, from when it gets its place. At most a week. */
  runTimeLimitSeconds: number;
  /** Whether the schedule starts runs. It is paused by itself after five of them that failed one after the other. */
  scheduleEnabled: boolean;
  overlap: PipelineOverlap;
  /** Words by which it and its runs are found, kept in lower case. */
  tags: string[];
  /** Who is told how runs end that are started from now on; none: nobody. */
  notificationSettings: NotificationSetting[];
  notifyOn: NotifyOn;
  /** What its runs are started with beside datasets; none: nothing. */
  parameters: PipelineParameter[];
  /** What runs are started with that its schedule or new data start; other parameters have their defaults. */
  scheduleParameters: Record<string, JsonValue>;
}

/** `CreatePipelineRequest`, to be written. */
export interface CreatePipelineRequestInput {
  name: string;
  description?: string | null | undefined;
  referenceNotes?: string | null | undefined;
  cronSchedule?: string | null | undefined;
  timeZone?: string | null | undefined;
  runsOnNewData?: boolean | null | undefined;
  maxConcurrentRuns?: number | null | undefined;
  steps?: readonly NewStepInput[] | null | undefined;
  stepOrder?: StepOrder | null | undefined;
  runTimeLimitSeconds?: number | null | undefined;
  scheduleEnabled?: boolean | null | undefined;
  overlap?: PipelineOverlap | null | undefined;
  tags?: readonly string[] | null | undefined;
  notificationSettings?: readonly NotificationSettingInput[] | null | undefined;
  notifyOn?: NotifyOn | null | undefined;
  parameters?: readonly PipelineParameterInput[] | null | undefined;
  scheduleParameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
}

export interface ListPipelinesRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Those in the archive instead of the others. */
  archived: boolean;
  /** Part of the name or of a tag, without regard to case. */
  search: string;
  /** Only those that have all of these tags. */
  tags: string[];
}

/** `ListPipelinesRequest`, to be written. */
export interface ListPipelinesRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  archived?: boolean | null | undefined;
  search?: string | null | undefined;
  tags?: readonly string[] | null | undefined;
}

export interface ListPipelinesResponse {
  /** By `order`, newest first unless given. */
  pipelines: PipelineSummary[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListPipelinesResponse`, to be written. */
export interface ListPipelinesResponseInput {
  pipelines: readonly PipelineSummaryInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface UpdatePipelineRequest {
  pipelineId: string;
  name: string;
  description: string;
  referenceNotes: string;
  /** Null ends the schedule. */
  cronSchedule: string | null;
  timeZone: string;
  /** Whether a new version of a dataset that it reads starts a run. */
  runsOnNewData: boolean;
  /** So many of its runs go on at the same time, the others wait. */
  maxConcurrentRuns: number;
  updateMask: FieldMask | null;
  /** Of runs that are started from now on. */
  runTimeLimitSeconds: number;
  /** False pauses the schedule, true resumes it: what was due meanwhile is not made up for. */
  scheduleEnabled: boolean;
  /** Of times that come from now on. */
  overlap: PipelineOverlap | null;
  /** All that it has from now on; runs keep those that they were started with. */
  tags: string[];
  /** All who are told from now on. */
  notificationSettings: NotificationSetting[];
  notifyOn: NotifyOn | null;
  /** All that runs are started with from now on that its schedule or new data start. */
  scheduleParameters: Record<string, JsonValue>;
}

/** `UpdatePipelineRequest`, to be written. */
export interface UpdatePipelineRequestInput {
  pipelineId: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  referenceNotes?: string | null | undefined;
  cronSchedule?: string | null | undefined;
  timeZone?: string | null | undefined;
  runsOnNewData?: boolean | null | undefined;
  maxConcurrentRuns?: number | null | undefined;
  updateMask?: FieldMask | null | undefined;
  runTimeLimitSeconds?: number | null | undefined;
  scheduleEnabled?: boolean | null | undefined;
  overlap?: PipelineOverlap | null | undefined;
  tags?: readonly string[] | null | undefined;
  notificationSettings?: readonly NotificationSettingInput[] | null | undefined;
  notifyOn?: NotifyOn | null | undefined;
  scheduleParameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
}

export interface ArchivePipelineRequest {
  pipelineId: string;
}

/** `ArchivePipelineRequest`, to be written. */
export interface ArchivePipelineRequestInput {
  pipelineId: string;
}

export interface RestorePipelineRequest {
  pipelineId: string;
}

/** `RestorePipelineRequest`, to be written. */
export interface RestorePipelineRequestInput {
  pipelineId: string;
}

export interface ClonePipelineRequest {
  pipelineId: string;
  /** Of the copy. */
  name: string;
}

/** `ClonePipelineRequest`, to be written. */
export interface ClonePipelineRequestInput {
  pipelineId: string;
  name: string;
}

export interface PublishPipelineVersionRequest {
  pipelineId: string;
  /** All of the new version. */
  steps: NewStep[];
  stepOrder: StepOrder;
  /** What its runs are started with beside datasets; none: nothing. */
  parameters: PipelineParameter[];
}

/** `PublishPipelineVersionRequest`, to be written. */
export interface PublishPipelineVersionRequestInput {
  pipelineId: string;
  steps: readonly NewStepInput[];
  stepOrder?: StepOrder | null | undefined;
  parameters?: readonly PipelineParameterInput[] | null | undefined;
}

export interface GetPipelineVersionRequest {
  pipelineId: string;
  versionId: string;
}

/** `GetPipelineVersionRequest`, to be written. */
export interface GetPipelineVersionRequestInput {
  pipelineId: string;
  versionId: string;
}

export interface ComparePipelineVersionsRequest {
  pipelineId: string;
  versionId: string;
  /** The version that it is compared with: what this one has in another way counts as the newer. */
  withVersionId: string;
}

/** `ComparePipelineVersionsRequest`, to be written. */
export interface ComparePipelineVersionsRequestInput {
  pipelineId: string;
  versionId: string;
  withVersionId: string;
}

export interface PipelineVersionComparison {
  /** The version that was asked about. */
  versionId: string;
  /** The version that it is compared with. */
  withVersionId: string;
  /** In the order of the newer version, then what it no longer has. */
  steps: StepComparison[];
  /** Whether the steps run in another order. */
  stepOrderChanged: boolean;
  /** Whether other parameters are declared, or in another way. */
  parametersChanged: boolean;
}

/** `PipelineVersionComparison`, to be written. */
export interface PipelineVersionComparisonInput {
  versionId: string;
  withVersionId: string;
  steps: readonly StepComparisonInput[];
  stepOrderChanged: boolean;
  parametersChanged: boolean;
}

export type StepChange =
  | 'SAME'
  | 'ADDED'
  | 'REMOVED'
  | 'CHANGED';

export interface StepComparison {
  /** Of the step. */
  name: string;
  /** What has become of it. */
  change: StepChange | null;
  /** The fields of `config` that differ, and `position`. */
  changedFields: string[];
  /** Null for a step that was added. */
  before: StepConfig | null;
  /** Null for a step that was removed. */
  after: StepConfig | null;
}

/** `StepComparison`, to be written. */
export interface StepComparisonInput {
  name: string;
  change: StepChange | null;
  changedFields: readonly string[];
  before?: StepConfigInput | null | undefined;
  after?: StepConfigInput | null | undefined;
}

export interface RollBackPipelineRequest {
  pipelineId: string;
  versionId: string;
}

/** `RollBackPipelineRequest`, to be written. */
export interface RollBackPipelineRequestInput {
  pipelineId: string;
  versionId: string;
}

export interface TryStepsRequest {
  /** As those of a version. */
  steps: NewStep[];
  stepOrder: StepOrder;
  /** So many rows of each input are looked at. */
  sampleRows: number;
  /** What its runs are started with beside datasets; none: nothing. */
  parameters: PipelineParameter[];
  /** Values of those; others have their defaults. */
  parameterValues: Record<string, JsonValue>;
}

/** `TryStepsRequest`, to be written. */
export interface TryStepsRequestInput {
  steps: readonly NewStepInput[];
  stepOrder?: StepOrder | null | undefined;
  sampleRows?: number | null | undefined;
  parameters?: readonly PipelineParameterInput[] | null | undefined;
  parameterValues?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
}

export interface TryStepsResponse {
  /** In the order in which they were given. */
  steps: TriedStep[];
}

/** `TryStepsResponse`, to be written. */
export interface TryStepsResponseInput {
  steps: readonly TriedStepInput[];
}

export interface TriedStep {
  /** Of the step. */
  name: string;
  /** How it went. */
  status: StepStatus | null;
  /** Why it failed; empty otherwise. */
  message: string;
  /** Of what comes out. */
  columns: TriedColumn[];
  /** At most 20 of what comes out, each with the columns as keys. */
  rows: JsonObject[];
}

/** `TriedStep`, to be written. */
export interface TriedStepInput {
  name: string;
  status: StepStatus | null;
  message: string;
  columns: readonly TriedColumnInput[];
  rows: readonly JsonObjectInput[];
}

export interface TriedColumn {
  /** As the query names it. */
  name: string;
  /** As DuckDB writes it. */
  type: string;
}

/** `TriedColumn`, to be written. */
export interface TriedColumnInput {
  name: string;
  type: string;
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
  /** Newest first. */
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
  /** Only runs of this version. */
  versionId: string;
  createdAfter: Date | null;
  createdBefore: Date | null;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Only those that have all of these tags. */
  tags: string[];
  /** Only those that this has led to; any of these. */
  trigger: RunTrigger[];
  /** Only those of this backfill. */
  backfillId: string;
  /** How much is said of each run. */
  view: RunView;
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
  tags?: readonly string[] | null | undefined;
  trigger?: readonly RunTrigger[] | null | undefined;
  backfillId?: string | null | undefined;
  view?: RunView | null | undefined;
}

export interface ListPipelineRunsResponse {
  /** By `order`, newest first unless given. */
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

export interface StartRunRequest {
  pipelineId: string;
  /** Absent: the current version. */
  versionId: string | null;
  idempotencyKey: string;
  /** Words by which it is found beside those of its pipeline, kept in lower case. */
  tags: string[];
  /**
   * Values of parameters that its version declares; others have their defaults. One that is unknown, missing or of another type is refused
   * (422).
   */
  parameters: Record<string, JsonValue>;
}

/** `StartRunRequest`, to be written. */
export interface StartRunRequestInput {
  pipelineId: string;
  versionId?: string | null | undefined;
  idempotencyKey?: string | null | undefined;
  tags?: readonly string[] | null | undefined;
  parameters?: Readonly<Record<string, JsonValueInput | undefined>> | null | undefined;
}

export interface StartTaskRunRequest {
  pipelineId: string;
  /** What the run is a part of: it is started once for each task. */
  taskId: string;
  /** The user in whose name it is done, and what they may do now. */
  userId: string;
  permissionLevel: PermissionLevel;
  /** That pays, and whose limits hold; empty: none. */
  clientGroupId: string;
}

/** `StartTaskRunRequest`, to be written. */
export interface StartTaskRunRequestInput {
  pipelineId: string;
  taskId: string;
  userId: string;
  permissionLevel: PermissionLevel;
  clientGroupId?: string | null | undefined;
}

export interface GetRunRequest {
  pipelineId: string;
  runId: string;
}

/** `GetRunRequest`, to be written. */
export interface GetRunRequestInput {
  pipelineId: string;
  runId: string;
}

export interface CancelRunRequest {
  pipelineId: string;
  runId: string;
}

/** `CancelRunRequest`, to be written. */
export interface CancelRunRequestInput {
  pipelineId: string;
  runId: string;
}

export interface RetryRunRequest {
  pipelineId: string;
  runId: string;
  idempotencyKey: string;
  /**
   * The name of a step: it and all that wait for it are done again, also of a run that has succeeded. Null or absent: only what has not
   * succeeded.
   */
  fromStep: string | null;
}

/** `RetryRunRequest`, to be written. */
export interface RetryRunRequestInput {
  pipelineId: string;
  runId: string;
  idempotencyKey?: string | null | undefined;
  fromStep?: string | null | undefined;
}

export interface ListRunStepsRequest {
  pipelineId: string;
  runId: string;
}

/** `ListRunStepsRequest`, to be written. */
export interface ListRunStepsRequestInput {
  pipelineId: string;
  runId: string;
}

export interface ListRunStepsResponse {
  /** In the order of the version. */
  steps: RunStepDetails[];
}

/** `ListRunStepsResponse`, to be written. */
export interface ListRunStepsResponseInput {
  steps: readonly RunStepDetailsInput[];
}

export interface RunStepDetails {
  /** Of the step in its version. */
  name: string;
  /** How far it is. */
  status: StepStatus | null;
  jobType: JobType | null;
  /** Null until started. */
  startedAt: Date | null;
  /** Null until finished. */
  finishedAt: Date | null;
  /** How often it was begun: more than once by its retry policy, when what carried it out was lost, or it waited for a kernel. */
  attempts: number;
  /** Why it ended as it did, was begun again, or what a step that is Pending waits for. Empty otherwise. */
  message: string;
  /** What it read. */
  inputVersionIds: string[];
  /** What it wrote. */
  outputs: RunOutput[];
  /** Of a check that failed: some of the rows that broke it. */
  failedRows: JsonObject[];
  /** It had succeeded in the run that this one goes on with. */
  kept: boolean;
  /**
   * What kind of failure it was, of the last attempt that has failed: `check_failed`, `out_of_memory`, `timed_out`, `syntax`, … Empty
   * where none has, also where the step was lost.
   */
  errorCode: string;
  /** When it may be begun, while it waits for its next attempt. Null otherwise. */
  nextAttemptAt: Date | null;
  /** Of a PIPELINE step that has begun: the run that its last attempt has started. Null otherwise. */
  childRun: RunReference | null;
  /** Of a PIPELINE step with `for_each`: the runs that its last attempt has started, in the order of their values. */
  childRuns: ForEachRun[];
}

/** `RunStepDetails`, to be written. */
export interface RunStepDetailsInput {
  name: string;
  status: StepStatus | null;
  jobType: JobType | null;
  startedAt?: Date | null | undefined;
  finishedAt?: Date | null | undefined;
  attempts: number;
  message: string;
  inputVersionIds: readonly string[];
  outputs: readonly RunOutputInput[];
  failedRows: readonly JsonObjectInput[];
  kept: boolean;
  errorCode: string;
  nextAttemptAt?: Date | null | undefined;
  childRun?: RunReferenceInput | null | undefined;
  childRuns: readonly ForEachRunInput[];
}

/** A run that was started for a value. */
export interface ForEachRun {
  /** Of the parameter. */
  value: JsonValue | null;
  /** Where it is read. */
  run: RunReference | null;
  /** How far it is. */
  status: RunStatus | null;
}

/** `ForEachRun`, to be written. */
export interface ForEachRunInput {
  value?: JsonValueInput | null | undefined;
  run?: RunReferenceInput | null | undefined;
  status: RunStatus | null;
}

export interface RunOutput {
  /** Of the dataset, as it was called then. */
  name: string;
  /** The dataset. */
  datasetId: string;
  /** The version of it that was written. */
  datasetVersionId: string;
  /** How many the version has. */
  rows: string;
  /** Of its Parquet file. */
  bytes: string;
}

/** `RunOutput`, to be written. */
export interface RunOutputInput {
  name: string;
  datasetId: string;
  datasetVersionId: string;
  rows: Int64Input;
  bytes: Int64Input;
}

export interface ListRunLogsRequest {
  pipelineId: string;
  runId: string;
  /** Only of this step. */
  step: string;
  /** The most lines of a page. */
  limit: number;
  cursor: string;
  includeTotal: boolean;
}

/** `ListRunLogsRequest`, to be written. */
export interface ListRunLogsRequestInput {
  pipelineId: string;
  runId: string;
  step?: string | null | undefined;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListRunLogsResponse {
  /** In the order in which they were written. */
  lines: RunLogLine[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListRunLogsResponse`, to be written. */
export interface ListRunLogsResponseInput {
  lines: readonly RunLogLineInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface RunLogLine {
  id: string;
  /** The name of the step. */
  step: string;
  /** Which attempt of the step has written it, from 1. */
  attempt: number;
  /** When it was written. */
  createdAt: Date | null;
  /** Without the end of the line. */
  text: string;
}

/** `RunLogLine`, to be written. */
export interface RunLogLineInput {
  id: string;
  step: string;
  attempt: number;
  createdAt?: Date | null | undefined;
  text: string;
}

export interface FollowRunLogsRequest {
  pipelineId: string;
  runId: string;
  /** Only of this step. */
  step: string;
  lastEventId: string;
}

/** `FollowRunLogsRequest`, to be written. */
export interface FollowRunLogsRequestInput {
  pipelineId: string;
  runId: string;
  step?: string | null | undefined;
  lastEventId?: string | null | undefined;
}

export type RunLogEventKind =
  | 'line'
  | 'finished';

export interface RunLogEvent {
  /** The line up to which everything is told. */
  eventId: string;
  /** `finished` is the last one. */
  event: RunLogEventKind | null;
  /** A line, or how the run has ended. */
  data: RunLogProgress | null;
}

/** `RunLogEvent`, to be written. */
export interface RunLogEventInput {
  eventId: string;
  event: RunLogEventKind | null;
  data?: RunLogProgressInput | null | undefined;
}

export interface RunLogProgress {
  /** Absent with `finished`. */
  line: RunLogLine | null;
  /** Of the run. */
  status: RunStatus | null;
}

/** `RunLogProgress`, to be written. */
export interface RunLogProgressInput {
  line?: RunLogLineInput | null | undefined;
  status: RunStatus | null;
}

export interface WatchRunRequest {
  pipelineId: string;
  runId: string;
  lastEventId: string;
}

/** `WatchRunRequest`, to be written. */
export interface WatchRunRequestInput {
  pipelineId: string;
  runId: string;
  lastEventId?: string | null | undefined;
}

export type RunEventKind =
  | 'run'
  | 'finished';

export interface RunEvent {
  /** How far the run is. */
  eventId: string;
  /** `finished` is the last one. */
  event: RunEventKind | null;
  /** The run after this step. */
  data: RunProgress | null;
}

/** `RunEvent`, to be written. */
export interface RunEventInput {
  eventId: string;
  event: RunEventKind | null;
  data?: RunProgressInput | null | undefined;
}

export interface RunProgress {
  /** Which run. */
  runId: string;
  status: RunStatus | null;
  /** Why it ended as it did, or what it waits for; empty otherwise. */
  message: string;
  /** 0 to 1: which part of its steps is over. */
  progress: number;
  /** In the order of the version. */
  runSteps: RunStep[];
  /** How many of the organisation's runs have waited as long as it, itself included, while it waits; null otherwise. */
  queuePosition: number | null;
}

/** `RunProgress`, to be written. */
export interface RunProgressInput {
  runId: string;
  status: RunStatus | null;
  message: string;
  progress: number;
  runSteps: readonly RunStepInput[];
  queuePosition?: number | null | undefined;
}

export interface Webhook {
  id: string;
  /** What people call it; may be empty. */
  description: string;
  /** Where deliveries go. */
  url: string;
  /** Whether it is told anything: one that is not has nothing noted down for it, and what is pending is given up. */
  enabled: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
}

/** `Webhook`, to be written. */
export interface WebhookInput {
  id: string;
  description: string;
  url: string;
  enabled: boolean;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
}

/** A webhook together with its secret, as answered once. */
export interface WebhookWithSecret {
  id: string;
  /** What people call it; may be empty. */
  description: string;
  /** Where deliveries go. */
  url: string;
  /** Whether it is told anything. */
  enabled: boolean;
  createdAt: Date | null;
  updatedAt: Date | null;
  /** With which receivers verify deliveries, as libraries of Standard Webhooks take it. Shown here and never again. */
  secret: string;
}

/** `WebhookWithSecret`, to be written. */
export interface WebhookWithSecretInput {
  id: string;
  description: string;
  url: string;
  enabled: boolean;
  createdAt?: Date | null | undefined;
  updatedAt?: Date | null | undefined;
  secret: string;
}

export interface CreateWebhookRequest {
  /** Begins with `https://` and is a public address, unless the operator allows its host by name. */
  url: string;
  /** What people call it; may be empty. */
  description: string;
}

/** `CreateWebhookRequest`, to be written. */
export interface CreateWebhookRequestInput {
  url: string;
  description?: string | null | undefined;
}

export interface ListWebhooksRequest {
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
}

/** `ListWebhooksRequest`, to be written. */
export interface ListWebhooksRequestInput {
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
}

export interface ListWebhooksResponse {
  /** By `order`, newest first unless given. */
  webhooks: Webhook[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListWebhooksResponse`, to be written. */
export interface ListWebhooksResponseInput {
  webhooks: readonly WebhookInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface GetWebhookRequest {
  webhookId: string;
}

/** `GetWebhookRequest`, to be written. */
export interface GetWebhookRequestInput {
  webhookId: string;
}

export interface UpdateWebhookRequest {
  webhookId: string;
  /** As when it is made. */
  url: string;
  /** What people call it; may be empty. */
  description: string;
  /** Whether it is told anything. */
  enabled: boolean;
  updateMask: FieldMask | null;
}

/** `UpdateWebhookRequest`, to be written. */
export interface UpdateWebhookRequestInput {
  webhookId: string;
  url?: string | null | undefined;
  description?: string | null | undefined;
  enabled?: boolean | null | undefined;
  updateMask?: FieldMask | null | undefined;
}

export interface DeleteWebhookRequest {
  webhookId: string;
}

/** `DeleteWebhookRequest`, to be written. */
export interface DeleteWebhookRequestInput {
  webhookId: string;
}

export interface RotateWebhookSecretRequest {
  webhookId: string;
  /** How long deliveries are signed with the old secret as well: a day unless given, up to 30. */
  overlapSeconds: number;
}

/** `RotateWebhookSecretRequest`, to be written. */
export interface RotateWebhookSecretRequestInput {
  webhookId: string;
  overlapSeconds?: number | null | undefined;
}

export interface TestWebhookRequest {
  webhookId: string;
}

/** `TestWebhookRequest`, to be written. */
export interface TestWebhookRequestInput {
  webhookId: string;
}

/** One event for one webhook. */
export interface WebhookDelivery {
  /** The header `webhook-id`, the same of each attempt: by it a receiver knows what it has already. */
  id: string;
  /** What is told: `run.finished`, `task_execution.finished` or `webhook.test`. */
  eventType: string;
  /** The run whose end it tells; null where it tells something else. */
  runId: string | null;
  /** The execution whose end it tells; null where it tells something else. */
  executionId: string | null;
  /** The body as it is signed and sent. */
  payload: string;
  /** Whether it has arrived: an answer of 200 to 299. */
  status: NotificationStatus | null;
  /** Oldest first, the last twenty. */
  attempts: WebhookAttempt[];
  /** When it is tried next; null once that is over. */
  nextAttemptAt: Date | null;
  createdAt: Date | null;
}

/** `WebhookDelivery`, to be written. */
export interface WebhookDeliveryInput {
  id: string;
  eventType: string;
  runId?: string | null | undefined;
  executionId?: string | null | undefined;
  payload: string;
  status: NotificationStatus | null;
  attempts: readonly WebhookAttemptInput[];
  nextAttemptAt?: Date | null | undefined;
  createdAt?: Date | null | undefined;
}

export interface WebhookAttempt {
  /** When it was tried. */
  at: Date | null;
  /** Null: it has arrived. */
  error: string | null;
  /** What the receiver has answered; null where it gave no answer. */
  statusCode: number | null;
  /** How long the receiver took. */
  durationMs: number;
}

/** `WebhookAttempt`, to be written. */
export interface WebhookAttemptInput {
  at?: Date | null | undefined;
  error?: string | null | undefined;
  statusCode?: number | null | undefined;
  durationMs: number;
}

export interface ListWebhookDeliveriesRequest {
  webhookId: string;
  limit: number;
  cursor: string;
  order: SortOrder;
  includeTotal: boolean;
  /** Only those that are so far. */
  status: NotificationStatus[];
}

/** `ListWebhookDeliveriesRequest`, to be written. */
export interface ListWebhookDeliveriesRequestInput {
  webhookId: string;
  limit?: number | null | undefined;
  cursor?: string | null | undefined;
  order?: SortOrder | null | undefined;
  includeTotal?: boolean | null | undefined;
  status?: readonly NotificationStatus[] | null | undefined;
}

export interface ListWebhookDeliveriesResponse {
  /** By `order`, newest first unless given. */
  deliveries: WebhookDelivery[];
  /** Empty on the last page. */
  nextCursor: string;
  /** Only when asked for. */
  totalCount: number | null;
}

/** `ListWebhookDeliveriesResponse`, to be written. */
export interface ListWebhookDeliveriesResponseInput {
  deliveries: readonly WebhookDeliveryInput[];
  nextCursor: string;
  totalCount?: number | null | undefined;
}

export interface RedeliverWebhookRequest {
  webhookId: string;
  /** The delivery, by its `id`. */
  deliveryId: string;
}

/** `RedeliverWebhookRequest`, to be written. */
export interface RedeliverWebhookRequestInput {
  webhookId: string;
  deliveryId: string;
}
