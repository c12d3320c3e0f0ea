import { declareError } from '@platform-backend/core';

export const connectionNotFound = declareError('not_found', 'connection_not_found', 'Connection not found');
export const connectionNameTaken = declareError(
  'conflict',
  'connection_name_taken',
  'There is a connection of this name already',
);
export const tooManyConnections = declareError(
  'conflict',
  'too_many_connections',
  'An organisation may have {max} connections',
);
export const connectionInUse = declareError(
  'conflict',
  'connection_in_use',
  'Datasets are read from this connection: {datasets}',
);
