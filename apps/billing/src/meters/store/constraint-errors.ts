import type { ConstraintErrors } from '@platform-backend/postgres';
import { meterSlugTaken } from '../domain/errors.ts';

export const meterConstraintErrors: ConstraintErrors = { meters_slug: meterSlugTaken };
