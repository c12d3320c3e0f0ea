import { declareError } from '@platform-backend/core';

export const collectionNotFound = declareError('not_found', 'collection_not_found', 'Collection not found');
export const tooManyCollections = declareError(
  'conflict',
  'too_many_collections',
  'There are {max} restricted collections already',
);
