import type { VatRegister, VatRegistration } from '../domain/vat-id.ts';

export interface ViesOptions {
  /** `https://ec.europa.eu/taxation_customs/vies/rest-api` */
  readonly url: string;
  /** Who asks: its VAT ID with prefix. VIES gives the number of a consultation to those alone who say it. */
  readonly requester: string;
}

/** Short: whoever changes their billing details waits. */
const timeoutMs = 4_000;

interface Answer {
  readonly valid?: boolean;
  readonly requestIdentifier?: string;
  /** VIES tells failures, also its own, in a body like this with any status. */
  readonly errorWrappers?: readonly { readonly error?: string }[];
}

/** The register of the member states of the EU, over its HTTP interface. */
export function viesRegister({ url, requester }: ViesOptions): VatRegister {
  const asker = /^[A-Z]{2}[0-9A-Z]+$/.test(requester)
    ? { requesterMemberStateCode: requester.slice(0, 2), requesterNumber: requester.slice(2) }
    : {};
  return {
    async look(country, number): Promise<VatRegistration | null> {
      try {
        const response = await fetch(`${url.replace(/\/$/, '')}/check-vat-number`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
          body: JSON.stringify({ countryCode: country === 'GR' ? 'EL' : country, vatNumber: number, ...asker }),
          signal: AbortSignal.timeout(timeoutMs),
        });
        const { valid, requestIdentifier = '', errorWrappers = [] } = (await response.json()) as Answer;
        if (errorWrappers.some(({ error }) => error === 'INVALID_INPUT')) {
          return { isRegistered: false, consultation: null };
        }
        if (!response.ok || errorWrappers.length > 0 || valid === undefined) return null;
        return { isRegistered: valid, consultation: requestIdentifier === '' ? null : requestIdentifier };
      } catch {
        // Away, too slow, or it answers with a page for people.
        return null;
      }
    },
  };
}
