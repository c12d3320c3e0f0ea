import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { creditLedger } from '@platform-backend/contract-billing/client/testing';
import type { KernelJobServiceClient } from '@platform-backend/contract-notebooks';
import type { CallOptions } from '@platform-backend/grpc';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { forOneOrganisation } from '../src/kernels/providers/for-one-organisation.ts';
import { kernelOwnersStore, removeKernelOwner } from '../src/kernels/store/kernel-owners-store.ts';
import { ownersInMemory } from '../src/kernels/test/owners-in-memory.ts';
import { kernelDouble } from './kernel-double.ts';
import { keys, startNotebooksWith } from './test-notebooks.ts';

describe('kernels without a sandbox, which another organisation uses', () => {
  let ledger: Awaited<ReturnType<typeof creditLedger>>;
  let running: Awaited<ReturnType<typeof startNotebooksWith>>;
  const organisationId = newOrganisation();
  const by = member(organisationId);
  beforeAll(async () => {
    ledger = await creditLedger(keys);
    const environment = { BILLING_ADDRESS: ledger.address, NOTEBOOKS_KERNEL_MINUTE_MICROS: '5000' };
    running = await startNotebooksWith(forOneOrganisation(kernelDouble(), 'here', ownersInMemory()), { environment });
    await running.jupyter.startKernel({}, member(newOrganisation()));
    ledger.useUp(organisationId);
  });
  afterAll(async () => {
    await running.stop();
    await ledger.close();
  });

  const refusal = { kind: 'not_provided', code: 'no_sandbox' };

  it('are refused before credits are asked for, and nothing is left of them', async () => {
    expect(await refusalOf(running.jupyter.startKernel({}, by))).toMatchObject(refusal);
    expect(await refusalOf(running.jupyter.createSession({ path: 'a.ipynb' }, by))).toMatchObject(refusal);
    expect((await running.jupyter.listKernels({}, by)).kernels).toEqual([]);
    expect((await running.jupyter.listSessions({}, by)).sessions).toEqual([]);
  });

  it('are refused to programs of pipelines before anybody has paid for their run', async () => {
    const jobs: KernelJobServiceClient<CallOptions> = running.calledBy('pipelines').to('KernelJobService');
    const caller = { kind: 'service', service: 'pipelines', scopes: [] } as const;
    expect(await refusalOf(jobs.checkKernelAccess({}, { caller: { ...caller, organisationId } }))).toMatchObject(
      refusal,
    );
  });

  it('are known to be so to all replicas, until that organisation is gone', async () => {
    const database = running.frame?.storage.database;
    if (!database) throw new Error('it was started elsewhere');
    const owners = kernelOwnersStore(database);
    expect(await owners.find('there')).toBeUndefined();
    const first = newOrganisation();
    expect(await Promise.all([owners.claim('there', first), owners.claim('there', first)])).toEqual([first, first]);
    expect(await owners.claim('there', organisationId)).toBe(first);
    expect(await owners.find('there')).toBe(first);
    await database.tenant(first, (trx) => removeKernelOwner(trx, first));
    expect(await owners.claim('there', organisationId)).toBe(organisationId);
  });

  it('end a run, which says why, for it would wait in vain', async () => {
    const content = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };
    const { id: notebookId } = await running.notebooks.createNotebook({ name: 'any', content }, by);
    const { id: runId } = await running.runs.startNotebookRun({ notebookId }, by);
    const over = await waitFor(async () => {
      await running.work('the runs of notebooks');
      const run = await running.runs.getNotebookRun({ notebookId, runId }, by);
      return run.finishedAt === null ? undefined : run;
    });
    expect(over).toMatchObject({ status: 'FAILED', code: 'refused' });
    expect(over.message).toBe('Kernels are for one organisation alone here, and another one uses them');
  });
});
