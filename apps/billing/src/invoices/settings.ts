import { optional, text, url } from '@platform-backend/core';

export const invoiceSettings = {
  BILLING_SELLER: optional(
    text({ defaultDescription: 'an example, marked as one', description: 'who issues the invoices, at their top' }),
  ),
  BILLING_SELLER_ADDRESS: optional(
    text({ description: 'the address of the seller, its lines parted by `;`; with `BILLING_SELLER` only' }),
  ),
  BILLING_SELLER_VAT_ID: optional(text({ description: 'the VAT ID of the seller; with `BILLING_SELLER` only' })),
  BILLING_INVOICE_SERIES: text({
    default: 'INV',
    pattern: /^[A-Z][A-Z0-9]{0,11}$/,
    mustBe: 'up to twelve capital letters and digits',
    description: 'with what the numbers of the seller’s invoices begin; another seller has another one',
  }),
  BILLING_VIES_URL: optional(
    url({
      protocols: ['https', 'http'],
      example: 'https://ec.europa.eu/taxation_customs/vies/rest-api',
      description: 'the EU’s register of VAT IDs; without it their format and check digits alone are checked',
    }),
  ),
};
