import type { CreditServiceClient } from '@platform-backend/contract-billing';
import { cachedForMetrics, newId, serviceActorContext } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { always, type Area } from '@platform-backend/service';
import type { NotebooksContext, service } from '../service.ts';
import { jupyterHandlers } from './api/jupyter-handlers.ts';
import { kernelHandlers } from './api/kernel-handlers.ts';
import { kernelHostHandlers } from './api/kernel-host-handlers.ts';
import { kernelReaper } from './app/kernel-reaper.ts';
import { kernelUseCases, type KernelPorts } from './app/kernels.ts';
import { minuteDebits } from './app/minute-debits.ts';
import { runningKernels } from './app/running-kernels.ts';
import { sessionUseCases } from './app/sessions.ts';
import { billingCredits } from './clients/billing-credits.ts';
import { kernelHosts, type KernelHostClient } from './clients/kernel-hosts.ts';
import { nodeAddress } from './clients/node-address.ts';
import type { KernelFolders } from './domain/kernel-folder.ts';
import type { KernelLimits, KernelProvider } from './domain/kernel-provider.ts';
import { kernelDied } from './domain/kernel.ts';
import { removeKernelOwner } from './store/kernel-owners-store.ts';
import { kernelsStore, removeKernels } from './store/kernels-store.ts';
import { sessionsStore } from './store/sessions-store.ts';

/** A replica that has not been heard of for so long is lost; it says that it lives three times as often. */
const LEASE_MS = 18_000;
const LEASES_EVERY_MS = 5_000;
const ORPHANS_EVERY_MS = 5_000;
const CULLING_EVERY_MS = 10_000;
const COUNTING_EVERY_MS = 5_000;
/** How long a client may stand still while its kernel waits. */
const TIMEOUT_MS = 60_000;
const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;

export type KernelsExports = ReturnType<typeof kernelsArea>['exports'];

/** Kernels: started, spoken to over channels, paid for by the minute and culled, with the sessions of Jupyter clients. */
export const kernelsArea = (
  { settings, listen, storage, clock, logger, metrics, client, peer, defer }: NotebooksContext,
  {
    provider,
    notebookNamed,
    folders,
    environmentOf,
  }: { readonly provider: KernelProvider; readonly folders: KernelFolders } & Pick<
    KernelPorts,
    'environmentOf' | 'notebookNamed'
  >,
) => {
  const node = { id: newId(), address: settings.NOTEBOOKS_NODE_ADDRESS ?? nodeAddress(listen) };
  const kernels = kernelsStore(storage.database);
  const credits = billingCredits(
    client<CreditServiceClient<CallOptions>>('platform.billing.v1.CreditService'),
    BigInt(settings.NOTEBOOKS_KERNEL_MINUTE_MICROS),
  );
  const counts = cachedForMetrics(() => kernels.counts());
  for (const state of ['starting', 'idle', 'busy', 'restarting'] as const)
    metrics.observe(
      'notebooks_kernels',
      'Kernels that are alive.',
      async () => (await counts()).find((one) => one.state === state)?.kernels ?? 0,
      { state },
    );
  const leaseMissed = metrics.counter(
    'notebooks_kernel_leases_missed_total',
    'Kernels of replicas that were not heard of in time, which this one has found dead.',
  );
  metrics.observe(
    'notebooks_kernel_memory_bytes',
    'Memory that the processes of kernels hold on this replica, with those that are kept ready.',
    () => provider.memoryBytes?.(),
  );
  const running = runningKernels({
    clock,
    logger,
    timeoutMs: TIMEOUT_MS,
    died: (organisationId, kernelId, reason) => {
      const by = serviceActorContext('notebooks', organisationId, newId());
      const tell = kernels.update(by, kernelId, (known) =>
        kernelDied(known, reason, { at: clock.now() }, minuteDebits(credits, organisationId)),
      );
      // Its lease runs out where this fails.
      tell.catch((error: unknown) =>
        logger.warn(
          { event: 'kernel.death_not_recorded', err: error, kernelId },
          'the death of a kernel is not told yet',
        ),
      );
    },
  });
  metrics.observe('notebooks_replica_kernels', 'Kernels of this replica.', () => running.all().length, {
    sandbox: provider.sandbox ?? 'unknown',
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
    notebookNamed,
    provider,
    folders,
    environmentOf,
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
      ofReplica: settings.NOTEBOOKS_KERNELS_PER_REPLICA,
    },
    limits,
  });
  folders.listen((...changed) => app.refreshFolder(...changed));
  const reaper = kernelReaper({
    kernels,
    running,
    credits,
    clock,
    logger,
    leaseMissed,
    nodeId: node.id,
    leaseMs: LEASE_MS,
    unreservedMs: settings.NOTEBOOKS_KERNEL_UNRESERVED_MINUTES * MINUTE_MS,
    culling: {
      idleMs: settings.NOTEBOOKS_KERNEL_IDLE_MINUTES * MINUTE_MS,
      connectedIdleMs: settings.NOTEBOOKS_KERNEL_CONNECTED_IDLE_MINUTES * MINUTE_MS,
      lifetimeMs: settings.NOTEBOOKS_KERNEL_LIFETIME_HOURS * 60 * MINUTE_MS,
    },
  });
  const { outliving: kernelsElsewhere } = provider;
  const outliving = kernelsElsewhere
    ? [
        {
          name: 'the leases of kernels elsewhere',
          everyMs: LEASES_EVERY_MS,
          run: () => kernelsElsewhere.renewLeases(),
          untilDueMs: always,
        },
        {
          name: 'the removal of kernels left elsewhere',
          everyMs: ORPHANS_EVERY_MS,
          run: () => kernelsElsewhere.removeLeft(),
        },
      ]
    : [];
  const sessions = sessionUseCases({ sessions: sessionsStore(storage.database), kernels: app, clock });
  return {
    handlers: {
      KernelService: kernelHandlers(app),
      KernelHostService: kernelHostHandlers(running),
      JupyterService: jupyterHandlers(app, sessions, clock),
    },
    jobs: [
      // Also without kernels: whoever has not renewed anything for a while judges nobody.
      { name: 'the leases of kernels', everyMs: LEASES_EVERY_MS, run: () => reaper.renewLeases(), untilDueMs: always },
      {
        name: 'the culling of kernels',
        everyMs: CULLING_EVERY_MS,
        run: () => reaper.cullKernels(),
        untilDueMs: always,
      },
      {
        name: 'the counting of minutes',
        everyMs: COUNTING_EVERY_MS,
        run: () => reaper.countMinutes(),
        untilDueMs: always,
      },
      {
        name: 'the search for lost kernels',
        everyMs: ORPHANS_EVERY_MS,
        run: () => reaper.reapOrphans(),
        untilDueMs: () => kernels.untilOverdue(),
      },
      ...outliving,
    ],
    async removeOrganisation(trx, organisationId) {
      await removeKernels(trx, organisationId);
      await removeKernelOwner(trx, organisationId);
    },
    exports: { useCases: app, provider, limits },
  } satisfies Area<typeof service.declaration>;
};
