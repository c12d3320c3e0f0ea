import type { Area } from '@platform-backend/service';
import type { NotebooksExports } from '../notebooks/area.ts';
import type { service } from '../service.ts';
import { contentsHandlers } from './api/contents-handlers.ts';
import { contentsUseCases } from './app/contents.ts';

/** Contents: notebooks as the files of a folder, for Jupyter clients. */
export const contentsArea = ({ notebooks }: { readonly notebooks: NotebooksExports }) =>
  ({
    handlers: { JupyterContentsService: contentsHandlers(contentsUseCases(notebooks.useCases)) },
    exports: {},
  }) satisfies Area<typeof service.declaration>;
