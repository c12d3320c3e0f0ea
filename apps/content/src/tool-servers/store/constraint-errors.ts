import type { ConstraintErrors } from '@platform-backend/mongo';
import { toolServerNameTaken } from '../domain/errors.ts';

/** What a unique index means to a caller. */
export const toolServerConstraintErrors: ConstraintErrors = {
  toolServers_organisationId_name: toolServerNameTaken,
};
