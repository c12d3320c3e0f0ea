import { integer } from '@platform-backend/core';

export const apiKeySettings = {
  IDENTITY_KEY_USE_FLUSH_SECONDS: integer({
    default: 10,
    min: 1,
    max: 3600,
    description: 'how often the last use of API keys is written',
  }),
};
