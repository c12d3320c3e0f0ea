import { declareError } from '@platform-backend/core';

export const purchaseNotPaidYet = declareError(
  'accepted',
  'purchase_not_paid_yet',
  'It is not known yet whether this purchase is paid: its credits follow if it is',
  5,
);
export const purchaseNotFound = declareError('not_found', 'purchase_not_found', 'Purchase not found');
