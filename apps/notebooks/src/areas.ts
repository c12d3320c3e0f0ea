import type { Configuration, Logger } from '@platform-backend/core';
import { composeAreas } from '@platform-backend/service';
import { contentsArea } from './contents/area.ts';
import { environmentArea } from './environment/area.ts';
import { foldersArea } from './folders/area.ts';
import { openFolders } from './folders/store/open-folders.ts';
import { kernelsArea } from './kernels/area.ts';
import type { KernelOwners } from './kernels/domain/kernel-owners.ts';
import type { KernelProvider } from './kernels/domain/kernel-provider.ts';
import type { RemoteKernels } from './kernels/domain/remote-kernels.ts';
import { kernelMetrics, type KernelMetrics } from './kernels/providers/kernel-metrics.ts';
import { openKernels } from './kernels/providers/open-kernels.ts';
import type { kernelSettings } from './kernels/settings.ts';
import { kernelOwnersStore } from './kernels/store/kernel-owners-store.ts';
import { remoteKernelsStore } from './kernels/store/remote-kernels-store.ts';
import { notebookRunsArea } from './notebook-runs/area.ts';
import { notebooksArea } from './notebooks/area.ts';
import { notebooksStore } from './notebooks/store/notebooks-store.ts';
import { service } from './service.ts';

/** Puts the service together from its areas, each after those that it builds on, with kernels of this make. */
export const composeWith = (
  open: (
    settings: Configuration<typeof kernelSettings>,
    logger: Logger,
    owners: KernelOwners,
    metrics: KernelMetrics,
    remoteKernels: RemoteKernels,
  ) => KernelProvider | Promise<KernelProvider>,
) =>
  composeAreas(service, async (context) => {
    const environment = environmentArea(context);
    // Kernels work in the folders of an area behind them.
    const opened = openFolders({ ...context, database: context.storage.database });
    const kernels = kernelsArea(context, {
      provider: await open(
        context.settings,
        context.logger,
        kernelOwnersStore(context.storage.database),
        kernelMetrics(context.metrics),
        remoteKernelsStore(context.storage.database),
      ),
      // Of an area behind it, which stops kernels.
      notebookNamed: notebooksStore(context.storage.database).named,
      folders: opened.ofKernels,
      environmentOf: environment.exports.environmentOf,
    });
    const notebooks = notebooksArea(context, { kernels: kernels.exports });
    const folders = foldersArea(context, opened);
    const contents = contentsArea({ notebooks: notebooks.exports, folders: folders.exports });
    const notebookRuns = notebookRunsArea(context, { kernels: kernels.exports, notebooks: notebooks.exports });
    return [environment, kernels, notebooks, folders, contents, notebookRuns];
  });

/** With the kernels that are configured. */
export const compose = composeWith(openKernels);
