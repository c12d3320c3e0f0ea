import { expectOk, type Person } from './people.ts';
import type { PaymentMethod } from './resources.ts';

interface Confirmation {
  status: string;
  payment_method: PaymentMethod | null;
}

/** Does what the processor's form does in the browser of a payer: sets a card up, or confirms a payment. */
export const confirmInSandbox = async (payer: Person, clientSecret: string, card?: string): Promise<Confirmation> => {
  const body = { client_secret: clientSecret, ...(card !== undefined && { card }) };
  return expectOk(await payer.call<Confirmation>('POST', '/payment-methods/sandbox/confirm/', { body }));
};

/** Gives an organisation a card; null where the card can't be set up. */
export const setUpCard = async (owner: Person, card: string): Promise<PaymentMethod | null> => {
  const intent = await owner.call<{ client_secret: string }>('POST', '/payment-methods/create-setup-intent/');
  return (await confirmInSandbox(owner, expectOk(intent).client_secret, card)).payment_method;
};
