import { declareError } from '@platform-backend/core';

export const refundNotFound = declareError('not_found', 'refund_not_found', 'Refund not found');
export const creditNoteNotFound = declareError('not_found', 'credit_note_not_found', 'Credit note not found');
export const nothingToRefund = declareError(
  'conflict',
  'nothing_to_refund',
  'Nothing of this invoice can be given back: it is used, or was given back before',
);
export const refundTooLarge = declareError(
  'conflict',
  'refund_too_large',
  'At most {max} minor units of this invoice can be given back',
);
