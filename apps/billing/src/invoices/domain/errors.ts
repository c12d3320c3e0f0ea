import { declareError } from '@platform-backend/core';

export const invoiceNotFound = declareError('not_found', 'invoice_not_found', 'Invoice not found');
export const invoicePaid = declareError('conflict', 'invoice_paid', 'This invoice is paid: have it refunded');
export const invoiceVoid = declareError('conflict', 'invoice_void', 'Nothing is to be paid for this invoice any more');
