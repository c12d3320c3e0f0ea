import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger, debitsOf, type CreditLedger } from '@platform-backend/contract-billing/client/testing';
import type { NotebookRun } from '@platform-backend/contract-notebooks';
import {
  member,
  newOrganisation,
  publishedEvents,
  startService,
  type ServiceProcess,
} from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { alive, processesBelow } from '../../../test/processes.ts';
import { keys, startTestNotebooks, type TestNotebooks } from '../../../test/test-notebooks.ts';

const code = (source: string) => ({
  cell_type: 'code',
  source,
  metadata: { tags: ['raises-exception'] },
  outputs: [],
  execution_count: null,
});

/** Its second cell ends when it is interrupted. */
const content = {
  cells: [code('print("begun")'), code('import time\nprint("waiting")\ntime.sleep(3600)')],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 4,
};

describe('a service that is killed while notebooks run', () => {
  let service: TestNotebooks;
  let ledger: CreditLedger;
  let running: ServiceProcess;
  const organisationId = newOrganisation();
  const by = member(organisationId);

  beforeAll(async () => {
    ledger = await creditLedger(keys);
    const run = async (env: Readonly<Record<string, string>>) => {
      running = await startService('notebooks', env);
      return { address: running.address, metricsAddress: '', stop: () => running.kill() };
    };
    service = await startTestNotebooks({
      run,
      environment: {
        BILLING_ADDRESS: ledger.address,
        NOTEBOOKS_KERNEL_MINUTE_MICROS: '5000',
        NOTEBOOKS_RUN_LEASE_SECONDS: '5',
        NOTEBOOKS_WARM_KERNELS: '0',
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    await ledger.close();
  });

  const now = ({ notebookId, id: runId }: NotebookRun) => service.runs.getNotebookRun({ notebookId, runId }, by);

  /** Waits until it is in the midst of this attempt. */
  const inAttempt = (run: NotebookRun, attempts: number) =>
    waitFor(
      async () => {
        const known = await now(run);
        return known.status === 'RUNNING' && known.attempts === attempts && known.cellsDone === 1;
      },
      { what: `attempt ${attempts}` },
    );

  async function startRun(name: string): Promise<NotebookRun> {
    const { id: notebookId } = await service.notebooks.createNotebook({ name, content }, by);
    return service.runs.startNotebookRun({ notebookId }, by);
  }

  /** Kills it, and starts another one where its callers look for it. Nothing that it has started is left. */
  async function killAndStart(more: Readonly<Record<string, string>> = {}): Promise<void> {
    const below = processesBelow(running.pid);
    expect(below.size).toBeGreaterThan(0);
    await running.kill();
    await waitFor(() => alive(below).length === 0, { what: 'the end of its processes' });
    running = await startService('notebooks', { ...service.env, ...more, NOTEBOOKS_LISTEN: service.address });
  }

  const ends = async ({ id }: NotebookRun) =>
    (await publishedEvents(service.database))
      .filter(({ type, data }) => type.endsWith('notebook_run.finished') && data['run_id'] === id)
      .map(({ data }) => data['status']);

  it('begins them again, so that they end once, and pays for each minute of each kernel once', async () => {
    const run = await startRun('Killed');
    await inAttempt(run, 1);
    await killAndStart();
    await inAttempt(run, 2);
    await waitFor(async () => {
      const { services } = await service.kernels.listRunningServices({}, by);
      // Those of the process that was killed are among them for a while.
      const interrupts = services.map(({ kernelId }) => service.kernels.interruptKernel({ kernelId }, by));
      await Promise.allSettled(interrupts);
      return (await now(run)).status === 'SUCCEEDED';
    });
    expect(await now(run)).toMatchObject({ attempts: 2, cells: 2, cellsDone: 2, code: '' });
    expect(await ends(run)).toEqual(['SUCCEEDED']);
    const chunks: Uint8Array[] = [];
    const file = service.runs.exportNotebookRun({ notebookId: run.notebookId, runId: run.id }, by);
    for await (const { chunk } of file) chunks.push(chunk);
    const [first] = (JSON.parse(Buffer.concat(chunks).toString()) as { cells: { outputs: unknown[] }[] }).cells;
    expect(first?.outputs).toEqual([{ output_type: 'stream', name: 'stdout', text: 'begun\n' }]);
  }, 400_000);

  it('gives up those that were lost as often as they may be, and says so', async () => {
    const run = await startRun('Given up');
    await inAttempt(run, 1);
    await killAndStart({ NOTEBOOKS_RUN_ATTEMPTS: '1' });
    await waitFor(async () => (await now(run)).status === 'FAILED');
    const message = 'What carried it out was lost once';
    expect(await now(run)).toMatchObject({ code: 'lost', message, attempts: 1 });
    expect(await ends(run)).toEqual(['FAILED']);
  }, 400_000);

  it('leaves no kernel behind in the end, and nothing that is paid for twice', async () => {
    await waitFor(async () => (await service.kernels.listRunningServices({}, by)).services.length === 0, {
      what: 'the death of the kernels of killed processes',
    });
    expect(processesBelow(running.pid).size).toBe(0);
    const owed = (await debitsOf(service, organisationId)).map(({ debit_id: id }) => id);
    expect(new Set(owed).size).toBe(owed.length);
    // One for each kernel at least: that of the first attempt, of the second, and of the run that was given up.
    expect(owed.length).toBeGreaterThanOrEqual(3);
    const events = await publishedEvents(service.database);
    const told = (type: string) =>
      events.filter((event) => event.type.endsWith(type)).map(({ data }) => data['kernel_id']);
    const [started, ended] = [told('kernel.started'), [...told('kernel.died'), ...told('kernel.stopped')]];
    expect(started).toHaveLength(3);
    expect(ended.toSorted()).toEqual(started.toSorted());
  }, 400_000);
});
