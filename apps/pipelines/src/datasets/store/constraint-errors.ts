import type { ConstraintErrors } from '@platform-backend/postgres';
import { connectionNameTaken, connectionNotFound } from '../../connections/domain/errors.ts';
import { datasetJustCreated, datasetNameTaken } from '../domain/errors.ts';

/** What a constraint means to a caller, where the domain cannot know it first. */
export const constraintErrors: ConstraintErrors = {
  datasets_by_name: datasetNameTaken,
  connections_by_name: connectionNameTaken,
  // It was removed at the same moment.
  datasets_source_connection: connectionNotFound,
  // Two have made it at the same moment.
  datasets_pkey: datasetJustCreated,
};
