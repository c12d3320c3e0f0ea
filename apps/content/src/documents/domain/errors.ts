import { declareError } from '@platform-backend/core';

export const documentNotFound = declareError('not_found', 'document_not_found', 'Document not found');
export const nothingUploaded = declareError('conflict', 'nothing_uploaded', 'Nothing was uploaded yet');
export const documentArchived = declareError(
  'conflict',
  'document_archived',
  'The document is archived; restore it first',
);
export const documentNotFailed = declareError('conflict', 'document_not_failed', 'The document has not failed');
export const documentNotRead = declareError(
  'conflict',
  'document_not_read',
  'What the document has is not read yet: a new version can come when it is READY or FAILED',
);
export const versionNotFound = declareError('not_found', 'version_not_found', 'Version not found');
export const versionInProgress = declareError(
  'conflict',
  'version_in_progress',
  'Another version is coming: wait for it, or delete it',
);
export const versionIsCurrent = declareError(
  'conflict',
  'version_is_current',
  'It is what the document has: delete the document, or restore another version first',
);
export const documentHasNoBytes = declareError(
  'conflict',
  'document_has_no_bytes',
  'The file was not kept: upload a smaller one',
);
export const documentExists = declareError(
  'conflict',
  'document_exists',
  'There is a document of this id under another name',
);
export const storageQuotaExceeded = declareError(
  'conflict',
  'storage_quota_exceeded',
  'The organisation has no room for the file: {free_bytes} bytes are left. Delete documents that nobody needs',
);
/** The plan decides nothing about it: it is what readers here are made for. */
export const documentTooLarge = declareError(
  'too_large',
  'too_large',
  'A document may have up to {max_bytes} bytes here, on every plan (CONTENT_DOCUMENT_MAX_BYTES): upload a smaller file, or parts of it',
);
export const urlExpired = declareError('forbidden', 'url_expired', 'This URL has expired');

/** Of bytes in S3, whose URL takes others until it expires. */
export const bytesReplaced = declareError(
  'conflict',
  'bytes_replaced',
  'The uploaded file was replaced by another one. Upload it as a document of its own.',
);
