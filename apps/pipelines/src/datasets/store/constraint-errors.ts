import type { ConstraintErrors } from '@platform-backend/postgres';
import { datasetJustCreated, datasetNameTaken } from '../domain/errors.ts';

/** What a constraint means to a caller, where the domain cannot know it first. */
export const constraintErrors: ConstraintErrors = {
  datasets_by_name: datasetNameTaken,
  // Two have made it at the same moment.
  datasets_pkey: datasetJustCreated,
};
