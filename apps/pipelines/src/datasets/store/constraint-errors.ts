import { conflict } from '@platform-backend/core';
import type { ConstraintErrors } from '@platform-backend/postgres';
import { nameTaken } from '../domain/refusals.ts';

/** What a constraint means to a caller, where the domain cannot know it first. */
export const constraintErrors: ConstraintErrors = {
  datasets_by_name: nameTaken,
  // Two have made it at the same moment.
  datasets_pkey: () => conflict('dataset_exists', 'This dataset has just been made, try again'),
};
