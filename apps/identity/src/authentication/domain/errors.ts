import { declareError } from '@platform-backend/core';

export const invalidToken = declareError('unauthenticated', 'invalid_token', 'Invalid or expired token');
