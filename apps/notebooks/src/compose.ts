import { onOrganisationDeleted } from '@platform-backend/events';
import type { Compose, Composition } from '@platform-backend/service';
import { contentsHandlers } from './contents/api/contents-handlers.ts';
import { contentsUseCases } from './contents/app/contents.ts';
import type { KernelProvider } from './kernels/domain/kernel-provider.ts';
import { openKernels } from './kernels/providers/open-kernels.ts';
import { removeKernels } from './kernels/store/kernels-store.ts';
import { kernelJobHandlers } from './notebook-runs/api/kernel-job-handlers.ts';
import { notebookProgramsThread } from './notebook-runs/threads/notebook-programs-thread.ts';
import { notebookHandlers } from './notebooks/api/notebook-handlers.ts';
import { notebookUseCases } from './notebooks/app/notebooks.ts';
import { notebooksStore, removeNotebooks } from './notebooks/store/notebooks-store.ts';
import { notebookFormatThread } from './notebooks/threads/format/notebook-format-thread.ts';
import { notebookPagesThread } from './notebooks/threads/rendering/notebook-pages-thread.ts';
import type { service } from './service.ts';
import { composeKernels } from './wiring/compose-kernels.ts';

/** Puts the service together from its parts. The only place that knows which implementation is used. */
export const compose: Compose<typeof service.declaration> = async (frame) =>
  composeWith(frame, await openKernels(frame.settings, frame.logger));

/** The service with kernels of this make. */
export function composeWith(
  frame: Parameters<typeof compose>[0],
  provider: KernelProvider,
): Composition<typeof service.declaration> {
  const { storage, clock, defer } = frame;
  const format = notebookFormatThread();
  defer(() => format.close());
  const pages = notebookPagesThread();
  defer(() => pages.close());
  const programs = notebookProgramsThread();
  defer(() => programs.close());
  const notebooks = notebooksStore(storage.database);
  const { kernels, runKernelJob, checkPrograms, handlers, repeated } = composeKernels(frame, {
    notebooks,
    pages,
    programs,
    provider,
  });
  const notebookApp = notebookUseCases({
    notebooks,
    format,
    pages,
    clock,
    stopKernels: (...asked) => kernels.stopKernelsOf(...asked),
  });
  return {
    handlers: {
      ...handlers,
      NotebookService: notebookHandlers(notebookApp),
      KernelJobService: kernelJobHandlers(runKernelJob, checkPrograms, notebookApp, kernels),
      JupyterContentsService: contentsHandlers(contentsUseCases(notebookApp)),
    },
    reactions: { 'notebooks-on-organisation-deleted': onOrganisationDeleted([removeKernels, removeNotebooks]) },
    jobs: repeated,
  };
}
