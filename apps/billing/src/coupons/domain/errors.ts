import { declareError } from '@platform-backend/core';

export const promotionCodeNotFound = declareError('not_found', 'promotion_code_not_found', 'Promotion code not found');
export const promotionCodeExpired = declareError(
  'conflict',
  'promotion_code_expired',
  'The promotion code can no longer be redeemed',
);
export const promotionCodeUsed = declareError(
  'conflict',
  'promotion_code_used',
  'The organisation has redeemed this promotion code already',
);
export const discountRunning = declareError(
  'conflict',
  'discount_running',
  'Another discount of the organisation is not over yet',
);
