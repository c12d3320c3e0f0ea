import { declareError } from '@platform-backend/core';

export const creditLimitReached = declareError('payment_required', 'credit_limit_reached', 'Credit limit reached');
export const clientGroupCreditLimitReached = declareError(
  'payment_required',
  'client_group_credit_limit_reached',
  'Credit limit reached',
);
export const tooFewToAdjust = declareError(
  'conflict',
  'too_few_to_adjust',
  'There are no more than {available} micros to take away',
);
export const tooManyUnspentPurchases = declareError(
  'conflict',
  'too_many_unspent_purchases',
  'There are too many purchases that are not used up: use some of them first',
);
export const reservationDiffers = declareError(
  'conflict',
  'reservation_differs',
  'The reservation id was used for another amount',
);
export const reservationFinished = declareError(
  'conflict',
  'reservation_finished',
  'The reservation is finished already',
);
export const reservationNotFound = declareError('not_found', 'reservation_not_found', 'Reservation not found');
export const settlementTooLarge = declareError(
  'conflict',
  'settlement_too_large',
  'More is to be settled than was reserved',
);
export const reservationReleased = declareError(
  'conflict',
  'reservation_released',
  'The reservation is released already',
);
export const settlementDiffers = declareError('conflict', 'settlement_differs', 'Another amount was settled already');
export const reservationSettled = declareError('conflict', 'reservation_settled', 'The reservation is settled already');
