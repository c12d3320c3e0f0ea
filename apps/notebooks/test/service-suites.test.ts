import { afterAll } from '@jest/globals';
import { creditLedger } from '@platform-backend/contract-billing/client/testing';
import { fixedClock, newId } from '@platform-backend/core';
import { freePort } from '@platform-backend/embedded';
import { openSandbox } from '@platform-backend/sandbox';
import { member, newOrganisation } from '@platform-backend/service/testing';
import {
  killedCallsSuite,
  serviceSuites,
  spendingSuite,
  type KnownOperation,
  type ServiceUnderTest,
} from '@platform-backend/service/testing/suites';
import { waitFor } from '@platform-backend/testing';
import { Readable } from 'node:stream';
import { service } from '../src/service.ts';
import { datasetsDouble } from './datasets-double.ts';
import { keys, startTestNotebooks, type TestNotebooks } from './test-notebooks.ts';

let running: TestNotebooks;
const datasets = await datasetsDouble();
afterAll(() => datasets.close());

const content = (source: string) => ({
  cells: [{ cell_type: 'markdown', id: 'a', source, metadata: {} }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

const isWanted = (wanted: ReadonlySet<string> | undefined, ...ids: string[]): boolean =>
  wanted === undefined || ids.some((id) => wanted.has(id));

/** Gives an organisation one of each thing, or of those whose ids are wanted, but of runs only one that waits. */
async function seedWithoutResult(_: unknown, name: string, wanted?: ReadonlySet<string>) {
  const organisationId = newOrganisation();
  const owner = member(organisationId, 'OWNER');
  const { id: notebookId } = await running.notebooks.createNotebook({ name, content: content(name) }, owner);
  const { id: checkpointId } = await running.notebooks.createCheckpoint({ notebookId }, owner);
  await running.environment.setEnvironmentVariable({ name: 'SEEDED', value: name }, owner);
  const filePath = `${name.replaceAll(' ', '-')}.csv`;
  const chunk = Buffer.from('a,b');
  await running.folders.saveFolderFile(Readable.from([{ notebookId, path: filePath, chunk }]), owner);
  await running.contents.createContentsCheckpoint({ path: `${name}/${filePath}` }, owner);
  const { id: kernelId } = isWanted(wanted, 'kernelId', 'sessionId')
    ? await running.jupyter.startKernel({}, owner)
    : { id: '' };
  const path = `${name}.ipynb`;
  const session = { path, name, type: 'notebook', kernel: { id: kernelId } };
  const { id: sessionId } = isWanted(wanted, 'sessionId')
    ? await running.jupyter.createSession(session, owner)
    : { id: '' };
  const { id: runId } = isWanted(wanted, 'runId', 'waitingRunId')
    ? await running.runs.startNotebookRun({ notebookId }, owner)
    : { id: '' };
  const datasetId = newId();
  datasets.add(organisationId, datasetId, { name, content: 'a,b\n' });
  const ids = { notebookId, runId, waitingRunId: runId, checkpointId, kernelId, sessionId, path, filePath, datasetId };
  return { organisationId, caller: owner.caller, ids };
}

/** The same with a run that is over beside the one that waits. */
async function seed(_: unknown, name: string, wanted?: ReadonlySet<string>) {
  const seeded = await seedWithoutResult(_, name, wanted);
  if (!isWanted(wanted, 'runId')) return seeded;
  const { organisationId, caller, ids } = seeded;
  const owner = member(organisationId, 'OWNER');
  const { notebookId, runId } = ids;
  await waitFor(async () => {
    await running.work('the runs of notebooks');
    const { status } = await running.runs.getNotebookRun({ notebookId, runId }, owner);
    // Its kernel ends behind it.
    const { services } = await running.kernels.listRunningServices({}, owner);
    return status === 'SUCCEEDED' && services.length === (ids.kernelId ? 1 : 0);
  });
  const { id: waitingRunId } = await running.runs.startNotebookRun({ notebookId }, owner);
  return { organisationId, caller, ids: { ...ids, waitingRunId } };
}

type Ids = Awaited<ReturnType<typeof seed>>['ids'];

const ofNotebook = ({ notebookId }: Ids) => ({ notebookId });
const ofRun = ({ notebookId, runId }: Ids) => ({ notebookId, runId });
const ofPath = ({ path }: Ids) => ({ path });
const ofPathAndCheckpoint = ({ path, checkpointId }: Ids) => ({ path, checkpointId });
const ofKernel = ({ kernelId }: Ids) => ({ kernelId });
const ofFile = ({ notebookId, filePath }: Ids) => ({ notebookId, path: filePath });
const ofSession = ({ sessionId }: Ids) => ({ sessionId });
const ofCheckpoint = ({ notebookId, checkpointId }: Ids) => ({ notebookId, checkpointId });

/** Who may call what (D14), with a request that is carried out. */
const operations: Readonly<Record<string, KnownOperation<Ids>>> = {
  'NotebookService/CreateNotebook': ['EDITOR', 'key', () => ({ name: 'new' })],
  'NotebookService/ListNotebooks': ['VIEWER', 'key'],
  'NotebookService/GetNotebook': ['VIEWER', 'key', ofNotebook],
  'NotebookService/RenameNotebook': ['EDITOR', 'key', ({ notebookId }) => ({ notebookId, name: 'mine' })],
  'NotebookService/SaveNotebook': ['EDITOR', 'key', ({ notebookId }) => ({ notebookId, content: content('mine') })],
  'NotebookService/DeleteNotebook': ['EDITOR', 'key', ofNotebook],
  'NotebookService/ImportNotebook': [
    'EDITOR',
    'key',
    () => ({ name: 'new file', chunk: Buffer.from(JSON.stringify(content('new'))) }),
  ],
  'NotebookService/SaveNotebookFile': [
    'EDITOR',
    'key',
    ({ notebookId }) => ({ notebookId, chunk: Buffer.from(JSON.stringify(content('mine'))) }),
  ],
  'NotebookService/ExportNotebook': ['VIEWER', 'key', ofNotebook],
  'NotebookService/ExportNotebookPage': ['VIEWER', 'key', ofNotebook],
  'NotebookService/CreateCheckpoint': ['EDITOR', 'key', ofNotebook],
  'NotebookService/ListCheckpoints': ['VIEWER', 'key', ofNotebook],
  'NotebookService/RestoreCheckpoint': ['EDITOR', 'key', ofCheckpoint],
  'NotebookService/DeleteCheckpoint': ['EDITOR', 'key', ofCheckpoint],
  'NotebookEnvironmentService/ListEnvironmentVariables': ['EDITOR', 'key'],
  'NotebookEnvironmentService/SetEnvironmentVariable': ['ADMIN', 'key', () => ({ name: 'MINE', value: 'mine' })],
  'NotebookEnvironmentService/DeleteEnvironmentVariable': ['ADMIN', 'key', () => ({ name: 'SEEDED' })],
  'NotebookFolderService/ListFolderFiles': ['VIEWER', 'key', ofNotebook],
  'NotebookFolderService/GetFolderFile': ['VIEWER', 'key', ofFile],
  'NotebookFolderService/SaveFolderFile': [
    'EDITOR',
    'key',
    ({ notebookId }) => ({ notebookId, path: 'new.csv', chunk: Buffer.from('mine') }),
  ],
  'NotebookFolderService/CopyDataset': [
    'EDITOR',
    'key',
    ({ notebookId, datasetId }) => ({ notebookId, datasetId, format: 'CSV' }),
  ],
  'NotebookFolderService/DeleteFolderFile': ['EDITOR', 'key', ofFile],
  'NotebookRunService/StartNotebookRun': ['EDITOR', 'key', ofNotebook],
  'NotebookRunService/ListNotebookRuns': ['VIEWER', 'key', ofNotebook],
  'NotebookRunService/GetNotebookRun': ['VIEWER', 'key', ofRun],
  'NotebookRunService/CancelNotebookRun': [
    'EDITOR',
    'key',
    ({ notebookId, waitingRunId: runId }) => ({ notebookId, runId }),
  ],
  'NotebookRunService/WatchNotebookRun': ['VIEWER', 'key', (ids) => ({ ...ofRun(ids), lastEventId: 'another' })],
  'NotebookRunService/ExportNotebookRun': ['VIEWER', 'key', ofRun],
  'NotebookRunService/ExportNotebookRunPage': ['VIEWER', 'key', ofRun],
  'KernelService/InterruptKernel': ['EDITOR', 'key', ofKernel],
  'KernelService/ListRunningServices': ['VIEWER', 'key'],
  'KernelHostService/ControlKernel': [
    ['notebooks'],
    'no key',
    ({ kernelId }) => ({ kernelId, control: 'INTERRUPT' as const }),
  ],
  'KernelHostService/ConnectKernel': [['notebooks'], 'no key', ({ kernelId }) => ({ kernelId, sessionId: 'a client' })],
  'KernelJobService/RunKernelJob': [['pipelines'], 'no key', () => ({ start: { code: 'text' } })],
  'KernelJobService/CheckPrograms': [['pipelines'], 'no key', ({ notebookId }) => ({ programs: [{ notebookId }] })],
  'KernelJobService/CheckKernelAccess': [['pipelines'], 'no key', () => ({})],
  'KernelJobService/FindNotebook': [['pipelines'], 'no key', ({ notebookId }) => ({ name: notebookId })],
  'JupyterContentsService/GetContentsFolder': ['VIEWER', 'key', () => ({ content: 1 })],
  'JupyterContentsService/GetContents': ['VIEWER', 'key', ({ path }) => ({ path, content: 1 })],
  'JupyterContentsService/CreateContents': ['EDITOR', 'key', ({ path }) => ({ copyFrom: path })],
  'JupyterContentsService/CreateContentsInFolder': [
    'EDITOR',
    'key',
    ({ path }) => ({ folder: path.replace('.ipynb', ''), copyFrom: path }),
  ],
  'JupyterContentsService/DownloadContents': ['VIEWER', 'key', ofPath],
  'JupyterContentsService/SaveContents': [
    'EDITOR',
    'key',
    () => ({ path: 'saved.ipynb', chunk: Buffer.from(JSON.stringify({ content: content('mine') })) }),
  ],
  'JupyterContentsService/RenameContents': [
    'EDITOR',
    'key',
    ({ path: fromPath }) => ({ fromPath, path: 'renamed.ipynb' }),
  ],
  'JupyterContentsService/DeleteContents': ['EDITOR', 'key', ofPath],
  'JupyterContentsService/ListContentsCheckpoints': ['VIEWER', 'key', ofPath],
  'JupyterContentsService/CreateContentsCheckpoint': ['EDITOR', 'key', ofPath],
  'JupyterContentsService/RestoreContentsCheckpoint': ['EDITOR', 'key', ofPathAndCheckpoint],
  'JupyterContentsService/DeleteContentsCheckpoint': ['EDITOR', 'key', ofPathAndCheckpoint],
  'JupyterService/GetJupyterVersion': ['VIEWER', 'key'],
  'JupyterService/GetJupyterStatus': ['VIEWER', 'key'],
  'JupyterService/GetJupyterIdentity': ['VIEWER', 'key'],
  'JupyterService/ListKernelSpecs': ['VIEWER', 'key'],
  'JupyterService/GetKernelSpec': ['VIEWER', 'key', () => ({ name: 'echo' })],
  // Nobody, too: a page shows it without a credential.
  'JupyterService/GetKernelLogo': ['VIEWER', 'key', () => ({ name: 'echo' }), { openable: true }],
  'JupyterService/ListKernels': ['VIEWER', 'key'],
  'JupyterService/StartKernel': ['EDITOR', 'key'],
  'JupyterService/GetKernel': ['VIEWER', 'key', ofKernel],
  'JupyterService/RestartKernel': ['EDITOR', 'key', ofKernel],
  'JupyterService/StopKernel': ['EDITOR', 'key', ofKernel],
  'JupyterService/OpenChannels': ['EDITOR', 'key', ({ kernelId }) => ({ kernelId, sessionId: 'a client' })],
  'JupyterService/ListSessions': ['VIEWER', 'key'],
  'JupyterService/CreateSession': ['EDITOR', 'key', () => ({ path: 'new.ipynb' })],
  'JupyterService/GetSession': ['VIEWER', 'key', ofSession],
  'JupyterService/UpdateSession': ['EDITOR', 'key', ({ sessionId }) => ({ sessionId, path: 'mine.ipynb', kernel: {} })],
  'JupyterService/DeleteSession': ['EDITOR', 'key', ofSession],
};

const many = {
  NOTEBOOKS_KERNELS_PER_ORGANISATION: '1000',
  NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: '10000',
  PIPELINES_ADDRESS: datasets.address,
};

const tested: Omit<ServiceUnderTest<Ids>, 'start'> = {
  service,
  seed,
  operations,
  // Nobody owns kernels that are for all, and these are none of a server elsewhere.
  emptyTables: ['events_set_aside', 'inbox', 'kernel_owners', 'remote_kernels'],
  silent: {
    'NotebookService/CreateCheckpoint': 'it is a copy for whoever works on the notebook',
    'NotebookService/DeleteCheckpoint': 'it is a copy for whoever works on the notebook',
    'JupyterContentsService/CreateContentsCheckpoint': 'it is a copy for whoever works on the notebook',
    'JupyterContentsService/DeleteContentsCheckpoint': 'it is a copy for whoever works on the notebook',
    'KernelHostService/ControlKernel': 'the replica that was asked has told of it',
    'KernelHostService/ConnectKernel': 'a client listens',
  },
  inSteps: { 'KernelJobService/RunKernelJob': 'its kernel starts, and ends when the job is done' },
  idsOfTheirOwn: {
    'KernelHostService/ConnectKernel': 'clients choose the ids of their sessions',
    'JupyterService/OpenChannels': 'clients choose the ids of their sessions',
  },
};

serviceSuites({
  ...tested,
  start: async () => (running = await startTestNotebooks({ clock: fixedClock(new Date()), environment: many })),
});

const billing = await creditLedger(keys);
afterAll(() => billing.close());
const paid = { ...many, BILLING_ADDRESS: billing.address, NOTEBOOKS_KERNEL_MINUTE_MICROS: '5000' };
spendingSuite(
  {
    ...tested,
    start: async () => (running = await startTestNotebooks({ clock: fixedClock(new Date()), environment: paid })),
  },
  { useUp: billing.useUp, later: {} },
);

/** As the service does by itself. */
const RENEWED_EVERY_MS = 5_000;

killedCallsSuite(
  {
    ...tested,
    seed: seedWithoutResult,
    // The kernels of what is called live here, beside the process that is killed, which reaches them.
    async start() {
      running = await startTestNotebooks({
        environment: { ...many, NOTEBOOKS_LISTEN: `127.0.0.1:${await freePort()}` },
      });
      const { work, stop } = running;
      const renewing = setInterval(() => void work('the leases of kernels').catch(() => undefined), RENEWED_EVERY_MS);
      return {
        ...running,
        async stop() {
          clearInterval(renewing);
          await stop();
        },
      };
    },
  },
  {
    kills: 1,
    // Without a sandbox its kernels are for one organisation, and each operation has one of its own.
    lack: (await openSandbox()).reason,
    environment: { NOTEBOOKS_RUN_CONCURRENCY: '0', NOTEBOOKS_WARM_KERNELS: '0' },
    doesMore: {
      'JupyterService/StartKernel': 'a kernel dies with its replica, and another one starts',
      'JupyterService/CreateSession': 'a kernel dies with its replica, and another one starts',
      'JupyterService/UpdateSession': 'a kernel dies with its replica, and another one starts',
    },
  },
);
