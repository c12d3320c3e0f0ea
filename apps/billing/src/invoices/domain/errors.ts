import { declareError } from '@platform-backend/core';

export const invoiceNotFound = declareError('not_found', 'invoice_not_found', 'Invoice not found');
