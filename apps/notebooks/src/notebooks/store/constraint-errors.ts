import type { ConstraintErrors } from '@platform-backend/postgres';
import { notebookNameTaken, notebookNotFound } from '../domain/errors.ts';

/** What a constraint means to a caller. */
export const notebookConstraintErrors: ConstraintErrors = {
  notebooks_one_per_name: notebookNameTaken,
  notebook_checkpoints_notebook: notebookNotFound,
  notebook_files_notebook: notebookNotFound,
};
