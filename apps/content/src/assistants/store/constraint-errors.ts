import type { ConstraintErrors } from '@platform-backend/mongo';
import { assistantNameTaken } from '../domain/errors.ts';

/** What a unique index means to a caller. */
export const assistantConstraintErrors: ConstraintErrors = {
  assistants_organisationId_nameKey: assistantNameTaken,
};
