import { fieldViolation, type Violation } from '@platform-backend/core';
import type { VatIdStatus } from '../../prices/domain/sale-tax.ts';

/** What the format of a VAT ID says. */
export interface VatIdFormat {
  /** ISO 3166-1: whose it is; null: its format is none that is known. */
  readonly country: string | null;
  /** Without its prefix and what parts its digits, as registers know it. */
  readonly number: string;
  /** Whether format and check digits are those of its country. */
  readonly isValid: boolean;
}

/** Reads a VAT ID; `country` is where its owner says to be, for one without a prefix. */
export type ReadVatId = (vatId: string, country: string | null) => Promise<VatIdFormat>;

/** What a register answers: whether it has the VAT ID, and the number of the consultation where it gives one. */
export interface VatRegistration {
  readonly isRegistered: boolean;
  readonly consultation: string | null;
}

/** A register of VAT IDs, such as VIES. */
export interface VatRegister {
  /** Null: it cannot answer now. */
  look(country: string, number: string): Promise<VatRegistration | null>;
}

/** What was found out about a VAT ID. */
export interface VatIdCheck {
  /** Null: there is no VAT ID. */
  readonly vatIdStatus: VatIdStatus | null;
  readonly vatIdCountry: string | null;
  readonly vatConsultation: string | null;
  /** When the register was asked last; null: never. */
  readonly vatCheckedAt: Date | null;
  /** When it is to be asked next; null: at once, where there is one that can be asked. */
  readonly vatCheckDueAt: Date | null;
}

export const notChecked: VatIdCheck = {
  vatIdStatus: null,
  vatIdCountry: null,
  vatConsultation: null,
  vatCheckedAt: null,
  vatCheckDueAt: null,
};

export function wrongVatId(vatId: string, country: string): Violation {
  const error = `this is no VAT ID of ${country}: its format or its check digits are wrong`;
  return fieldViolation(['body', 'vat_id'], error, vatId, { error });
}
