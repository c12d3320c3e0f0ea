import { onOrganisationDeleted } from '@platform-backend/events';
import type { Compose, Composition } from '@platform-backend/service';
import { contentsHandlers } from './api/contents-handlers.ts';
import { kernelJobHandlers } from './api/kernel-job-handlers.ts';
import { notebookHandlers } from './api/notebook-handlers.ts';
import { contentsUseCases } from './app/contents.ts';
import { notebookUseCases } from './app/notebooks.ts';
import type { KernelProvider } from './domain/kernels/kernel-provider.ts';
import type { service } from './service.ts';
import { removeKernels } from './store/kernels-store.ts';
import { notebooksStore, removeNotebooks } from './store/notebooks-store.ts';
import { notebookFormatThread } from './threads/format/notebook-format-thread.ts';
import { notebookProgramsThread } from './threads/programs/notebook-programs-thread.ts';
import { notebookPagesThread } from './threads/rendering/notebook-pages-thread.ts';
import { composeKernels } from './wiring/compose-kernels.ts';
import { openKernels } from './wiring/open-kernels.ts';

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
