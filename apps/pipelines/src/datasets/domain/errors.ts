import { declareError } from '@platform-backend/core';

export const datasetVersionNotFound = declareError(
  'not_found',
  'dataset_version_not_found',
  'Dataset version not found',
);
export const datasetNotFound = declareError('not_found', 'dataset_not_found', 'Dataset not found');
export const datasetExists = declareError(
  'conflict',
  'dataset_exists',
  'There is a dataset of this id under another name',
);
export const datasetReadOtherwise = declareError(
  'conflict',
  'dataset_read_otherwise',
  'There is a dataset of this id that is not read from this source',
);
export const datasetWithoutSource = declareError(
  'conflict',
  'dataset_without_source',
  'This dataset is not read from a connection',
);
export const uploadBeingRead = declareError('conflict', 'upload_being_read', 'The upload before is still being read');
export const urlExpired = declareError('forbidden', 'url_expired', 'This URL has expired');
export const datasetJustCreated = declareError(
  'conflict',
  'dataset_just_created',
  'This dataset has just been created by another request; try again',
);
export const datasetEmpty = declareError('conflict', 'dataset_empty', 'There is no data in this dataset yet');
export const nothingUploaded = declareError('conflict', 'nothing_uploaded', 'Nothing was uploaded yet');
export const datasetNameTaken = declareError(
  'conflict',
  'dataset_name_taken',
  'There is a dataset of this name already',
);
export const datasetTooLarge = declareError(
  'too_large',
  'too_large',
  'The dataset as {format} is larger than {limit} MiB',
);
