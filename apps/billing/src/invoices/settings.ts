import { optional, text } from '@platform-backend/core';

export const invoiceSettings = {
  BILLING_SELLER: optional(
    text({ defaultDescription: 'an example, marked as one', description: 'who issues the invoices, at their top' }),
  ),
  BILLING_SELLER_ADDRESS: optional(
    text({ description: 'the address of the seller, its lines parted by `;`; with `BILLING_SELLER` only' }),
  ),
  BILLING_SELLER_VAT_ID: optional(text({ description: 'the VAT ID of the seller; with `BILLING_SELLER` only' })),
};
