import { declareError } from '@platform-backend/core';

export const serviceNotConfigured = declareError(
  'not_provided',
  'service_not_configured',
  'What needs the service {service} is refused: {setting} does not say where it is',
);
