import { integer } from '@platform-backend/core';

export const authenticationSettings = {
  IDENTITY_AUTHENTICATION_POOL: integer({
    default: 4,
    min: 1,
    max: 100,
    description: 'connections besides, only for asking who calls',
  }),
};
