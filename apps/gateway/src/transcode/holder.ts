import { networkOf, type ClientAddressOf } from '../exchange/client-address.ts';
import type { Exchange } from '../exchange/exchange.ts';
import type { Holder } from './memory-budget.ts';

/** Whose share a request takes of what all have together: of its credential, of its network and of its organisation. */
export const holderOf =
  (clientAddressOf: ClientAddressOf) =>
  ({ request, caller, target }: Pick<Exchange, 'request' | 'caller' | 'target'>): Holder => {
    const network = networkOf(clientAddressOf(request));
    return {
      caller: caller?.apiKeyId ?? caller?.userId ?? ofTicket(target.pathParameters['ticket'], network),
      network,
      organisation: caller?.organisationId,
    };
  };

/**
 * Organisations behind one address have a share each for what they do by the tickets of their URLs. What a ticket says is looked at
 * and not believed: only the service knows whether it is right, so that whoever makes one up takes nothing from others' addresses.
 */
function ofTicket(ticket: string | undefined, network: string): string {
  if (ticket === undefined) return network;
  try {
    const text = Buffer.from(ticket.slice(0, ticket.indexOf('.')), 'base64url').toString();
    const { key } = JSON.parse(text) as { readonly key?: unknown };
    const organisation = typeof key === 'string' ? key.slice(0, key.indexOf('/')) : '';
    return ORGANISATION.test(organisation) ? `${network} ${organisation}` : network;
  } catch {
    return network;
  }
}

const ORGANISATION = /^[\w-]{1,64}$/;
