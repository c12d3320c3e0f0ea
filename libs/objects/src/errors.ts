import { declareError } from '@platform-backend/core';

export const objectNotFound = declareError('not_found', 'object_not_found', 'Object not found');
export const fileNotFound = declareError('not_found', 'file_not_found', 'File not found');
export const alreadyUploaded = declareError('conflict', 'already_uploaded', 'Another file was uploaded here before');
export const wrongContentType = declareError(
  'unsupported_media',
  'unsupported_media',
  'This URL takes files of type {contentType}',
);
export const urlExpired = declareError('forbidden', 'url_expired', 'This URL has expired');
export const urlInvalid = declareError('forbidden', 'url_invalid', 'This URL is not valid');
