import type { Area } from '@platform-backend/service';
import type { FoldersExports } from '../folders/area.ts';
import type { NotebooksExports } from '../notebooks/area.ts';
import type { service } from '../service.ts';
import { contentsHandlers } from './api/contents-handlers.ts';
import { contentsUseCases } from './app/contents.ts';

/** Contents: notebooks, and the files of their folders, as those of a Jupyter Server. */
export const contentsArea = ({
  notebooks,
  folders,
}: {
  readonly notebooks: NotebooksExports;
  readonly folders: FoldersExports;
}) =>
  ({
    handlers: { JupyterContentsService: contentsHandlers(contentsUseCases(notebooks.useCases, folders.useCases)) },
    exports: {},
  }) satisfies Area<typeof service.declaration>;
