import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { newId, serviceActorContext } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { ServiceContext } from '@platform-backend/service';
import { jupyterHandlers } from '../kernels/api/jupyter-handlers.ts';
import { kernelHandlers } from '../kernels/api/kernel-handlers.ts';
import { kernelHostHandlers } from '../kernels/api/kernel-host-handlers.ts';
import { kernelReaper } from '../kernels/app/kernel-reaper.ts';
import { kernelUseCases } from '../kernels/app/kernels.ts';
import { runningKernels } from '../kernels/app/running-kernels.ts';
import { sessionUseCases } from '../kernels/app/sessions.ts';
import { billingCredits } from '../kernels/clients/billing-credits.ts';
import { kernelHosts, type KernelHostClient } from '../kernels/clients/kernel-hosts.ts';
import { nodeAddress } from '../kernels/clients/node-address.ts';
import type { KernelLimits, KernelProvider } from '../kernels/domain/kernel-provider.ts';
import { kernelDied } from '../kernels/domain/kernel.ts';
import { kernelsStore } from '../kernels/store/kernels-store.ts';
import { sessionsStore } from '../kernels/store/sessions-store.ts';
import { notebookRunHandlers } from '../notebook-runs/api/notebook-run-handlers.ts';
import { checkPrograms } from '../notebook-runs/app/check-programs.ts';
import { compilingKernel } from '../notebook-runs/app/compiling-kernel.ts';
import { notebookRunExecutor, type NotebookRunLimits } from '../notebook-runs/app/execute-notebook-runs.ts';
import { notebookRunUseCases } from '../notebook-runs/app/notebook-runs.ts';
import { kernelJobs } from '../notebook-runs/app/run-kernel-job.ts';
import type { NotebookPrograms } from '../notebook-runs/domain/notebook-programs.ts';
import { pythonDatasets, pythonSyntax } from '../notebook-runs/job-program/job-program.ts';
import { notebookRunsStore } from '../notebook-runs/store/notebook-runs-store.ts';
import type { NotebookPages } from '../notebooks/domain/notebook-pages.ts';
import type { Notebooks } from '../notebooks/domain/notebooks.ts';
import type { service } from '../service.ts';

/** A replica that has not been heard of for so long is lost; it says that it lives three times as often. */
const LEASE_MS = 18_000;
const LEASES_EVERY_MS = 5_000;
const ORPHANS_EVERY_MS = 5_000;
const RUNS_EVERY_MS = 1_000;
const CULLING_EVERY_MS = 10_000;
const PAYING_EVERY_MS = 5_000;
/** How long a client may stand still while its kernel waits. */
const TIMEOUT_MS = 60_000;
const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

/** Kernels and everything that is about them. */
export function composeKernels(
  { settings, listen, storage, clock, logger, client, peer, defer }: ServiceContext<typeof service.declaration>,
  {
    notebooks,
    pages,
    programs,
    provider,
  }: {
    readonly notebooks: Notebooks;
    readonly pages: NotebookPages;
    readonly programs: NotebookPrograms;
    readonly provider: KernelProvider;
  },
) {
  const node = { id: newId(), address: settings.NOTEBOOKS_NODE_ADDRESS ?? nodeAddress(listen) };
  const kernels = kernelsStore(storage.database);
  const credits = billingCredits(
    client<CreditServiceClient<CallOptions>>('platform.billing.v1.CreditService'),
    BigInt(settings.NOTEBOOKS_KERNEL_MINUTE_MICROS),
  );
  const running = runningKernels({
    clock,
    logger,
    timeoutMs: TIMEOUT_MS,
    died: (organisationId, kernelId, reason) => {
      const by = serviceActorContext('notebooks', organisationId, newId());
      const tell = kernels.update(by, kernelId, (known) => kernelDied(known, reason, clock.now()));
      // Its lease runs out where this fails.
      tell.catch((error: unknown) =>
        logger.warn(
          { event: 'kernel.death_not_recorded', err: error, kernelId },
          'the death of a kernel is not told yet',
        ),
      );
    },
  });
  const hosts = kernelHosts((address) => peer<KernelHostClient>('KernelHostService', address));
  defer(async () => {
    await running.close();
    await provider.close();
    hosts.close();
  });
  const limits: KernelLimits = {
    memoryBytes: settings.NOTEBOOKS_KERNEL_MEMORY_MB * MIB,
    executeSeconds: settings.NOTEBOOKS_KERNEL_EXECUTE_SECONDS,
    outputBytes: settings.NOTEBOOKS_KERNEL_OUTPUT_MB * MIB,
  };
  const app = kernelUseCases({
    kernels,
    notebookNamed: notebooks.named,
    provider,
    running,
    hostAt: hosts.at,
    credits,
    clock,
    logger,
    node,
    leaseMs: LEASE_MS,
    allowed: {
      kernels: settings.NOTEBOOKS_KERNELS_PER_ORGANISATION,
      startsPerMinute: settings.NOTEBOOKS_KERNEL_STARTS_PER_MINUTE,
    },
    limits,
  });
  const compiling = compilingKernel({ provider, syntax: pythonSyntax, limits, logger });
  const runs = notebookRunsStore(storage.database);
  const mostOpen = settings.NOTEBOOKS_RUNS_PER_ORGANISATION;
  const runApp = notebookRunUseCases({ runs, notebooks, programs, kernels: app, pages, clock, mostOpen });
  const allowed: NotebookRunLimits = {
    atOnce: settings.NOTEBOOKS_RUN_CONCURRENCY,
    seconds: settings.NOTEBOOKS_RUN_SECONDS,
    shownCharacters: settings.NOTEBOOKS_RUN_OUTPUT_MB * MIB,
    attempts: { leaseMs: settings.NOTEBOOKS_RUN_LEASE_SECONDS * 1_000, most: settings.NOTEBOOKS_RUN_ATTEMPTS },
  };
  const carrying = notebookRunExecutor({ runs, programs, kernels: app, limits, allowed, clock, logger });
  defer(() => carrying.close());
  const tending = kernelReaper({
    kernels,
    running,
    credits,
    clock,
    logger,
    nodeId: node.id,
    leaseMs: LEASE_MS,
    culling: {
      idleMs: settings.NOTEBOOKS_KERNEL_IDLE_MINUTES * MINUTE_MS,
      connectedIdleMs: settings.NOTEBOOKS_KERNEL_CONNECTED_IDLE_MINUTES * MINUTE_MS,
      lifetimeMs: settings.NOTEBOOKS_KERNEL_LIFETIME_HOURS * 60 * MINUTE_MS,
    },
  });
  const sessions = sessionUseCases({ sessions: sessionsStore(storage.database), kernels: app, clock });
  return {
    kernels: app,
    runKernelJob: kernelJobs({ kernels: app, notebooks, programs, datasets: pythonDatasets, limits }),
    checkPrograms: checkPrograms({ notebooks, programs, compiling }),
    handlers: {
      KernelService: kernelHandlers(app),
      KernelHostService: kernelHostHandlers(running),
      NotebookRunService: notebookRunHandlers(runApp),
      JupyterService: jupyterHandlers(app, sessions, clock),
    },
    repeated: [
      { name: 'the leases of kernels', everyMs: LEASES_EVERY_MS, run: () => tending.renewLeases() },
      { name: 'the culling of kernels', everyMs: CULLING_EVERY_MS, run: () => tending.cullKernels() },
      { name: 'the payment of minutes', everyMs: PAYING_EVERY_MS, run: () => tending.payForMinutes() },
      { name: 'the runs of notebooks', everyMs: RUNS_EVERY_MS, run: () => carrying.begin() },
      { name: 'the search for lost kernels', everyMs: ORPHANS_EVERY_MS, run: () => tending.buryOrphans() },
    ],
  };
}
