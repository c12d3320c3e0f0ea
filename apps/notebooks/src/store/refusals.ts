import { conflict, notFound } from '@platform-backend/core';
import type { ConstraintRefusals } from '@platform-backend/postgres';

/** What a constraint means to a caller. */
export const refusals: ConstraintRefusals = {
  notebooks_one_per_name: () => conflict('notebook_name_taken', 'There is a notebook of this name already'),
  notebook_checkpoints_notebook: () => notFound('Notebook'),
};
