import { afterAll } from '@jest/globals';
import { creditLedger } from '@platform-backend/contract-billing/client/testing';
import { fixedClock, newId, systemClock, type Clock } from '@platform-backend/core';
import { member, newOrganisation } from '@platform-backend/service/testing';
import {
  killedCallsSuite,
  serviceSuites,
  spendingSuite,
  type KnownOperation,
  type ServiceUnderTest,
} from '@platform-backend/service/testing/suites';
import { service } from '../src/service.ts';
import { datasetClient } from './dataset-client.ts';
import { keys, startTestPipelines, type TestPipelines } from './test-pipelines.ts';

const mask = (...paths: string[]) => ({ updateMask: { paths } });

let pipelines: TestPipelines;

const ticketIn = (url: string): string => new URL(url).pathname.split('/')[2] ?? '';

const stepsOn = (dataset: string) => [
  { name: 'all', config: { query: `SELECT * FROM "${dataset}"`, inputDatasets: [dataset], outputDatasets: ['made'] } },
];

/**
 * Gives an organisation one of each thing, or of those whose ids are wanted, with what they are made of; operations name the
 * dataset.
 */
async function seed(_: unknown, name: string, wanted?: ReadonlySet<string>) {
  const organisationId = newOrganisation();
  const owner = member(organisationId, 'OWNER');
  const wants = (...ids: string[]) => wanted === undefined || ids.some((id) => wanted.has(id));
  const wantsPipeline = wants('pipelineId', 'versionId', 'runId', 'endedRunId', 'backfillId');
  const ids = {
    ...{ templateId: '', executionId: '', datasetId: '', uploadTicket: '', downloadTicket: '', pipelineId: '' },
    ...{ versionId: '', runId: '', endedRunId: '', webhookId: '', deliveryId: '', backfillId: '' },
    ...{ connectionId: '', readDatasetId: '' },
  };
  if (wants('templateId', 'executionId')) {
    const settings = { name, instruction: name, cronSchedule: '0 9 * * 1', scheduleEnabled: true };
    const { id: templateId } = await pipelines.taskTemplates.createTaskTemplate(settings, owner);
    ids.templateId = templateId;
    if (wants('executionId'))
      ids.executionId = (await pipelines.taskTemplates.runTaskTemplate({ templateId }, owner)).id;
  }
  if (wantsPipeline || wants('datasetId', 'downloadTicket')) {
    // With a row that is rejected.
    const csv = { delimiter: ',', hasHeader: true, maxRejectedRows: 1 };
    const { id: datasetId } = await datasetClient(pipelines).upload('figures', `what\n${name}\n1,2\n`, owner, { csv });
    const { signedUrl } = await pipelines.datasets.downloadDataset({ datasetId }, owner);
    Object.assign(ids, { datasetId, downloadTicket: ticketIn(signedUrl) });
  }
  if (wants('uploadTicket')) {
    const coming = { id: newId(), name: 'coming', format: 'CSV' as const, description: '' };
    ids.uploadTicket = ticketIn((await pipelines.datasets.uploadDataset(coming, owner)).signedUrl);
  }
  if (wantsPipeline) {
    const parameters = [{ name: 'n', type: 'INTEGER' as const, required: false, description: '' }];
    const made = await pipelines.pipelines.createPipeline({ name, steps: stepsOn('figures'), parameters }, owner);
    const pipelineId = made.id;
    Object.assign(ids, { pipelineId, versionId: made.currentVersion?.id ?? '' });
    const values = { parameter: 'n', values: [1, 2] };
    if (wants('backfillId'))
      ids.backfillId = (await pipelines.backfills.startBackfill({ pipelineId, ...values }, owner)).id;
    if (wants('runId', 'endedRunId')) [ids.runId, ids.endedRunId] = await startRuns(pipelineId, owner);
  }
  if (wants('connectionId', 'readDatasetId')) {
    const settings = { http: { baseUrl: 'http://127.0.0.1:9/' } };
    const { id: connectionId } = await pipelines.connections.createConnection({ name, settings, secret: name }, owner);
    Object.assign(ids, { connectionId });
    if (wants('readDatasetId')) {
      const source = { http: { connectionId, path: 'orders', format: 'CSV' as const } };
      const { id } = await pipelines.datasets.createDataset({ id: newId(), name: 'read', source }, owner);
      await datasetClient(pipelines).settled(id, owner);
      Object.assign(ids, { readDatasetId: id });
    }
  }
  if (wants('webhookId', 'deliveryId')) {
    const { id: webhookId } = await pipelines.webhooks.createWebhook({ url: 'https://hooks.example.com/' }, owner);
    const { id: deliveryId } = await pipelines.webhooks.testWebhook({ webhookId }, owner);
    Object.assign(ids, { webhookId, deliveryId });
  }
  return { organisationId, caller: owner.caller, ids };
}

/** One that goes on and one that is cancelled. */
async function startRuns(pipelineId: string, owner: ReturnType<typeof member>): Promise<[string, string]> {
  const { id: runId } = await pipelines.runs.startRun({ pipelineId }, owner);
  const { id: endedRunId } = await pipelines.runs.startRun({ pipelineId }, owner);
  await pipelines.runs.cancelRun({ pipelineId, runId: endedRunId }, owner);
  return [runId, endedRunId];
}

type Ids = Awaited<ReturnType<typeof seed>>['ids'];

const dataset = ({ datasetId }: Ids) => ({ datasetId });
const pipeline = ({ pipelineId }: Ids) => ({ pipelineId });
const version = ({ pipelineId, versionId }: Ids) => ({ pipelineId, versionId });
const run = ({ pipelineId, runId }: Ids) => ({ pipelineId, runId });
const endedRun = ({ pipelineId, endedRunId }: Ids) => ({ pipelineId, runId: endedRunId });
const connection = ({ connectionId }: Ids) => ({ connectionId });
const webhook = ({ webhookId }: Ids) => ({ webhookId });
const backfill = ({ pipelineId, backfillId }: Ids) => ({ pipelineId, backfillId });
const template = ({ templateId }: Ids) => ({ templateId });

/** The same each time: it is made once, and found again. */
const NEW_DATASET = newId();

/** Who may call what (D14), with a request that is carried out. */
const operations: Readonly<Record<string, KnownOperation<Ids>>> = {
  'DatasetService/UploadDataset': [
    'EDITOR',
    'key',
    () => ({ id: newId(), name: 'new', format: 'CSV', description: '' }),
  ],
  'DatasetService/CreateDataset': [
    'EDITOR',
    'key',
    ({ connectionId }) => ({
      ...{ id: NEW_DATASET, name: 'new', description: '' },
      source: { http: { connectionId, path: 'orders', format: 'CSV' } },
    }),
  ],
  'DatasetService/RefreshDataset': ['EDITOR', 'key', ({ readDatasetId }) => ({ datasetId: readDatasetId })],
  'DatasetService/CompleteDatasetUpload': ['EDITOR', 'key', dataset],
  'DatasetService/ListRejectedRows': ['VIEWER', 'key', dataset],
  'DatasetService/ListDatasets': ['VIEWER', 'key', undefined, { services: ['content'] }],
  'DatasetService/GetDataset': ['VIEWER', 'key', dataset, { services: ['content'] }],
  'DatasetService/UpdateDataset': ['EDITOR', 'key', ({ datasetId }) => ({ datasetId, name: 'mine', ...mask('name') })],
  'DatasetService/DeleteDataset': ['EDITOR', 'key', dataset],
  'DatasetService/ListDatasetVersions': ['VIEWER', 'key', dataset],
  'DatasetService/GetDatasetLineage': ['VIEWER', 'key', dataset],
  'DatasetService/PreviewDataset': ['VIEWER', 'key', dataset],
  'DatasetService/DownloadDataset': ['VIEWER', 'key', dataset],
  'DatasetService/ReadDatasetFile': [
    ['notebooks'],
    'no key',
    ({ datasetId }) => ({ datasetId, format: 'PARQUET', maxBytes: 1_000_000 }),
  ],
  'DatasetService/QueryDatasets': ['VIEWER', 'key', () => ({ query: 'SELECT 1 AS one' }), { services: ['content'] }],
  'DatasetService/GetDataDictionary': ['VIEWER', 'key', dataset],
  'DatasetService/UpdateDataDictionary': [
    'EDITOR',
    'key',
    ({ datasetId }) => ({ datasetId, entries: [{ name: 'what', description: 'mine' }] }),
  ],
  'DatasetService/CompareDataDictionaries': ['VIEWER', 'key', ({ datasetId }) => ({ datasetId, from: 1, to: 1 })],
  'DatasetFileService/UploadDatasetFile': [
    'anybody',
    'no key',
    ({ uploadTicket }) => ({ ticket: uploadTicket, contentType: 'text/csv' }),
  ],
  'DatasetFileService/DownloadDatasetFile': ['anybody', 'no key', ({ downloadTicket }) => ({ ticket: downloadTicket })],
  'PipelineService/CreatePipeline': ['EDITOR', 'key', () => ({ name: 'new' })],
  'PipelineService/ListPipelines': ['VIEWER', 'key', undefined, { services: ['content'] }],
  'PipelineService/GetPipeline': ['VIEWER', 'key', pipeline, { services: ['content'] }],
  'PipelineService/UpdatePipeline': [
    'EDITOR',
    'key',
    ({ pipelineId }) => ({ pipelineId, name: 'mine', ...mask('name') }),
  ],
  'PipelineService/ArchivePipeline': ['EDITOR', 'key', pipeline],
  'PipelineService/RestorePipeline': ['EDITOR', 'key', pipeline, { after: 'PipelineService/ArchivePipeline' }],
  'PipelineService/ClonePipeline': ['EDITOR', 'key', ({ pipelineId }) => ({ pipelineId, name: 'mine' })],
  'PipelineService/PublishPipelineVersion': [
    'EDITOR',
    'key',
    ({ pipelineId }) => ({ pipelineId, steps: [{ ...stepsOn('figures')[0], name: 'mine' }] }),
  ],
  'PipelineService/GetPipelineVersion': ['VIEWER', 'key', version],
  'PipelineService/ComparePipelineVersions': [
    'VIEWER',
    'key',
    ({ pipelineId, versionId }) => ({ pipelineId, versionId, withVersionId: versionId }),
  ],
  'PipelineService/RollBackPipeline': ['EDITOR', 'key', version],
  'PipelineService/TrySteps': ['EDITOR', 'key', () => ({ steps: stepsOn('figures') }), { needs: ['datasetId'] }],
  'PipelineService/ListPipelineVersions': ['VIEWER', 'key', pipeline],
  'PipelineService/ListPipelineRuns': ['VIEWER', 'key', version],
  'RunService/StartRun': ['EDITOR', 'key', version],
  'RunService/StartTaskRun': [
    ['content'],
    'no key',
    ({ pipelineId }) => ({ pipelineId, taskId: newId(), userId: newId(), permissionLevel: 'EDITOR' }),
  ],
  'RunService/GetRun': ['VIEWER', 'key', run, { services: ['content'] }],
  'RunService/CancelRun': ['EDITOR', 'key', run],
  'RunService/RetryRun': ['EDITOR', 'key', endedRun],
  'RunService/ListRunSteps': ['VIEWER', 'key', run],
  'RunService/ListRunLogs': ['VIEWER', 'key', run],
  'RunService/FollowRunLogs': ['VIEWER', 'key', (ids) => ({ ...endedRun(ids), lastEventId: '0' })],
  'RunService/WatchRun': ['VIEWER', 'key', (ids) => ({ ...endedRun(ids), lastEventId: '0' })],
  'BackfillService/StartBackfill': ['EDITOR', 'key', (ids) => ({ ...version(ids), parameter: 'n', values: [3] })],
  'BackfillService/ListBackfills': ['VIEWER', 'key', pipeline],
  'BackfillService/GetBackfill': ['VIEWER', 'key', backfill],
  'BackfillService/CancelBackfill': ['EDITOR', 'key', backfill],
  'ConnectionService/CreateConnection': [
    'ADMIN',
    'key',
    () => ({ name: 'new', settings: { http: { baseUrl: 'https://api.example.com/' } } }),
  ],
  'ConnectionService/ListConnections': ['EDITOR', 'key'],
  'ConnectionService/GetConnection': ['EDITOR', 'key', connection],
  'ConnectionService/UpdateConnection': [
    'ADMIN',
    'key',
    ({ connectionId }) => ({ connectionId, name: 'mine', ...mask('name') }),
  ],
  'ConnectionService/TestConnection': ['ADMIN', 'key', connection],
  'ConnectionService/DeleteConnection': ['ADMIN', 'key', connection],
  'WebhookService/CreateWebhook': ['ADMIN', 'key', () => ({ url: 'https://hooks.example.com/new' })],
  'WebhookService/ListWebhooks': ['EDITOR', 'key'],
  'WebhookService/GetWebhook': ['EDITOR', 'key', webhook],
  'WebhookService/UpdateWebhook': [
    'ADMIN',
    'key',
    ({ webhookId }) => ({ webhookId, description: 'mine', ...mask('description') }),
  ],
  'WebhookService/RotateWebhookSecret': ['ADMIN', 'key', webhook],
  'WebhookService/TestWebhook': ['ADMIN', 'key', webhook],
  'WebhookService/ListWebhookDeliveries': ['EDITOR', 'key', webhook],
  'WebhookService/RedeliverWebhook': ['ADMIN', 'key', ({ webhookId, deliveryId }) => ({ webhookId, deliveryId })],
  'WebhookService/DeleteWebhook': ['ADMIN', 'key', webhook],
  'TaskTemplateService/CreateTaskTemplate': ['EDITOR', 'key', () => ({ name: 'new', instruction: 'new' })],
  'TaskTemplateService/ListTaskTemplates': ['VIEWER', 'key'],
  'TaskTemplateService/GetTaskTemplate': ['VIEWER', 'key', template],
  'TaskTemplateService/UpdateTaskTemplate': [
    'EDITOR',
    'key',
    ({ templateId }) => ({ templateId, name: 'mine', ...mask('name') }),
  ],
  'TaskTemplateService/DeleteTaskTemplate': ['EDITOR', 'key', template],
  'TaskTemplateService/PauseTaskTemplate': ['EDITOR', 'key', template],
  'TaskTemplateService/ResumeTaskTemplate': [
    'EDITOR',
    'key',
    template,
    { after: 'TaskTemplateService/PauseTaskTemplate' },
  ],
  'TaskTemplateService/RunTaskTemplate': ['EDITOR', 'key', template],
  'TaskTemplateService/PreviewSchedule': ['VIEWER', 'key', () => ({ cronSchedule: '0 9 * * 1' })],
  'TaskTemplateService/PreviewTaskTemplate': ['VIEWER', 'key', template],
  'TaskTemplateService/ListTaskExecutions': ['VIEWER', 'key', template],
  'TaskTemplateService/GetTaskExecution': [
    'VIEWER',
    'key',
    ({ templateId, executionId }) => ({ templateId, executionId }),
  ],
};

/** Where nobody answers, so that what is read from there is over at once. */
const reachable = { OUTBOUND_ALLOWED_HOSTS: '127.0.0.1' };

const startWith = (clock: Clock) => async () =>
  (pipelines = await startTestPipelines({
    areQueriesExplained: true,
    ...{ idle: true, clock },
    environment: reachable,
  }));

const tested: Omit<ServiceUnderTest<Ids>, 'start'> = {
  service,
  seed,
  operations,
  different: {
    'DatasetService/PreviewDataset': 'it says how long it took',
    'DatasetService/QueryDatasets': 'it says how long it took',
    'ConnectionService/TestConnection': 'it says how long it took',
  },
  silent: {
    'DatasetService/CompleteDatasetUpload': 'what was uploaded through the platform is known to be there',
    'DatasetFileService/UploadDatasetFile': 'what came is told once it has been read',
    'DatasetService/RefreshDataset': 'what is read is told once it has been',
    'PipelineService/TrySteps': 'what is tried is kept nowhere',
    'ConnectionService/TestConnection': 'what is tried is kept nowhere',
    'WebhookService/TestWebhook': 'what was sent is among the deliveries',
    'WebhookService/RedeliverWebhook': 'what was sent is among the deliveries',
  },
  inSteps: {
    'DatasetService/CreateDataset': 'its source is read at once, which writes the row of the dataset again',
  },
  idsOfTheirOwn: {
    'PipelineService/ListPipelineRuns': 'a version that is not there has no runs',
    'RunService/StartTaskRun': 'content names task, member and client group on its own authority',
    'DatasetService/UploadDataset': 'clients choose the ids of datasets, each organisation its own',
    'DatasetFileService/UploadDatasetFile': 'the ticket is the credential',
    'DatasetFileService/DownloadDatasetFile': 'the ticket is the credential',
  },
  emptyTables: [
    'events_set_aside',
    'inbox',
    'run_logs',
    'run_requests',
    'run_workers',
    'schedule_fires',
    'task_notifications',
  ],
};

serviceSuites({ ...tested, start: startWith(fixedClock(new Date())) });

const billing = await creditLedger(keys);
afterAll(() => billing.close());
const startWithBilling = async () =>
  (pipelines = await startTestPipelines({
    idle: true,
    environment: { ...reachable, BILLING_ADDRESS: billing.address, PIPELINES_MICROS_PER_STEP_SECOND: '1000' },
  }));
spendingSuite(
  { ...tested, start: startWithBilling },
  {
    useUp: billing.useUp,
    later: { 'TaskTemplateService/RunTaskTemplate': 'the assistant asks for them that works on it' },
  },
);

killedCallsSuite(
  { ...tested, start: startWith(systemClock) },
  {
    kills: 1,
    // Nothing begins by itself that an operation has only asked for.
    environment: { ...reachable, PIPELINES_READ_LEASE_SECONDS: '3', PIPELINES_SCHEDULE_SECONDS: '60' },
    uncounted: { object_removals: 'what nothing needs any more goes in its own time' },
    goesOn: {
      'BackfillService/StartBackfill': 'the runs that it has wanted',
      'TaskTemplateService/RunTaskTemplate': 'the execution that it has begun',
    },
    doesMore: {
      'DatasetService/UploadDataset': 'each has another URL',
      'BackfillService/CancelBackfill': 'a service that starts sweeps, and may have begun some of its runs before',
    },
  },
);
