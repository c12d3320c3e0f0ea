import type { ConstraintErrors } from '@platform-backend/postgres';
import { sessionPathTaken } from '../../kernels/domain/errors.ts';
import { notebookNameTaken, notebookNotFound } from '../domain/errors.ts';

/** What a constraint means to a caller. */
export const notebookConstraintErrors: ConstraintErrors = {
  notebooks_one_per_name: notebookNameTaken,
  kernel_sessions_one_per_path: sessionPathTaken,
  notebook_checkpoints_notebook: notebookNotFound,
  notebook_files_notebook: notebookNotFound,
};
