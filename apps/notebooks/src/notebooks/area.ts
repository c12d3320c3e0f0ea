import type { Area } from '@platform-backend/service';
import type { KernelsExports } from '../kernels/area.ts';
import type { NotebooksContext, service } from '../service.ts';
import { notebookHandlers } from './api/notebook-handlers.ts';
import { notebookUseCases } from './app/notebooks.ts';
import { notebooksStore, removeNotebooks } from './store/notebooks-store.ts';
import { notebookFormatThread } from './threads/format/notebook-format-thread.ts';
import { notebookPagesThread } from './threads/rendering/notebook-pages-thread.ts';

export type NotebooksExports = ReturnType<typeof notebooksArea>['exports'];

/** Notebooks: kept in the format nbformat 4, with their checkpoints, and shown as pages. */
export const notebooksArea = (
  { storage, clock, defer }: NotebooksContext,
  { kernels }: { readonly kernels: KernelsExports },
) => {
  const format = notebookFormatThread();
  defer(() => format.close());
  const pages = notebookPagesThread();
  defer(() => pages.close());
  const notebooks = notebooksStore(storage.database);
  const app = notebookUseCases({
    notebooks,
    format,
    pages,
    clock,
    stopKernels: (...asked) => kernels.useCases.stopKernelsOf(...asked),
  });
  return {
    handlers: { NotebookService: notebookHandlers(app) },
    removeOrganisation: removeNotebooks,
    exports: { useCases: app, notebooks, pages },
  } satisfies Area<typeof service.declaration>;
};
