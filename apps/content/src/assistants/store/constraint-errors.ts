import type { IndexRefusals } from '@platform-backend/mongo';
import { nameTaken } from '../domain/assistant.ts';

/** What a unique index means to a caller. */
export const assistantConstraintErrors: IndexRefusals = {
  assistants_organisationId_nameKey: nameTaken,
};
