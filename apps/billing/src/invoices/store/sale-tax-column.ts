import { column } from '@platform-backend/postgres';
import type { SaleTax } from '../../prices/domain/sale-tax.ts';

export type SaleTaxJson = Omit<SaleTax, 'basisPoints'> & { readonly basisPoints: string };

export const saleTaxOfJson = (kept: SaleTaxJson): SaleTax => ({ ...kept, basisPoints: BigInt(kept.basisPoints) });
export const jsonOfSaleTax = (taxed: SaleTax): SaleTaxJson => ({ ...taxed, basisPoints: String(taxed.basisPoints) });

/** How a sale is taxed; null where the release before has written the row. */
export const saleTaxColumn = (name: string) =>
  column<SaleTax>(name, { read: saleTaxOfJson, write: (taxed) => JSON.stringify(jsonOfSaleTax(taxed)) });
