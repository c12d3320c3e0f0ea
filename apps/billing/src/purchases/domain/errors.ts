import { declareError } from '@platform-backend/core';

export const purchaseNotFound = declareError('not_found', 'purchase_not_found', 'Purchase not found');
