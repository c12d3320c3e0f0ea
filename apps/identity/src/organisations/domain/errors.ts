import { declareError } from '@platform-backend/core';

export const seatsInUse = declareError(
  'conflict',
  'seats_in_use',
  'There are more active members than seats asked for',
);
