import { declareError } from '@platform-backend/core';

export const conventionNotFound = declareError('not_found', 'convention_not_found', 'Convention not found');
