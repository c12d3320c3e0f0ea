import { declareError } from '@platform-backend/core';

export const previewExpired = declareError(
  'conflict',
  'preview_expired',
  'The preview is older than half an hour: ask for another one',
);
export const previewOutdated = declareError(
  'conflict',
  'preview_outdated',
  'It would not come to what the preview said any more: ask for another one',
);
