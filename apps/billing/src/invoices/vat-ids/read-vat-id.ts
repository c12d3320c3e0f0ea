import type { Validator } from 'stdnum';
import type { ReadVatId } from '../domain/vat-id.ts';

/** The check of a country's VAT IDs among those of the package, which has them under the names of each country. */
const checks = {
  ...{ AT: 'uid', BE: 'vat', BG: 'vat', CH: 'vat', CY: 'vat', CZ: 'dic', DE: 'vat', DK: 'cvr', EE: 'kmkr', ES: 'nif' },
  ...{ FI: 'alv', FR: 'tva', GB: 'vat', GR: 'vat', HR: 'oib', HU: 'anum', IE: 'vat', IT: 'iva', LT: 'pvm', LU: 'tva' },
  ...{ LV: 'pvn', MT: 'vat', NL: 'btw', NO: 'mva', PL: 'nip', PT: 'nif', RO: 'cif', SE: 'vat', SI: 'ddv', SK: 'dph' },
} as const;

type CheckedCountry = keyof typeof checks;

const isChecked = (country: string): country is CheckedCountry => Object.hasOwn(checks, country);

/** Reads VAT IDs of the EU, Norway, Switzerland and the United Kingdom by the package `stdnum`. */
export const readVatId: ReadVatId = async (vatId, country) => {
  const text = vatId.toUpperCase().replaceAll(/[^0-9A-Z]/g, '');
  const prefix = /^[A-Z]{2}/.exec(text)?.[0] ?? '';
  const named = prefix === 'EL' ? 'GR' : prefix;
  const whose = isChecked(named) ? named : country;
  if (whose === null || !isChecked(whose)) return { country: null, number: text, isValid: false };
  // It takes 0.4 s to load and is seldom needed.
  const { stdnum } = await import('stdnum');
  const validator = (stdnum[whose] as Readonly<Record<string, Validator>>)[checks[whose]];
  const number = named === whose ? text.slice(2) : text;
  // `validate` takes it with its prefix in some countries and without it in others, where both are written.
  const result = [text, number].map((form) => validator?.validate(form)).find((each) => each?.isValid === true);
  return { country: whose, number, isValid: result !== undefined };
};
