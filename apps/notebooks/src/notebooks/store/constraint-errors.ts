import { conflict, notFound } from '@platform-backend/core';
import type { ConstraintErrors } from '@platform-backend/postgres';

/** What a constraint means to a caller. */
export const notebookConstraintErrors: ConstraintErrors = {
  notebooks_one_per_name: () => conflict('notebook_name_taken', 'There is a notebook of this name already'),
  notebook_checkpoints_notebook: () => notFound('Notebook'),
};
