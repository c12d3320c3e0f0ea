import { lookup as lookUp } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { AddressPolicy } from './address-policy.ts';
import { AddressRefused } from './failures.ts';
import { resolveName } from './resolve-name.ts';

export interface OutboundAddress {
  /** To be connected to as it is: another answer of the resolver a moment later changes nothing. */
  readonly address: string;
  /** Whether an operator allows the host by name. */
  readonly isAllowed: boolean;
}

/** As a URL, whose rules are those for hosts of all protocols. */
const urlOf = (host: string, port: number): URL => new URL(`https://${host}:${port}`);

/** Why services may not connect to a host that an organisation names, as far as that can be seen without asking for its addresses. */
export const hostRefusal = (policy: AddressPolicy, host: string, port: number): string | undefined =>
  policy.urlRefusal(`https://${host}:${port}`);

/** Whether an operator allows it by name. */
export const isAllowedHost = (policy: AddressPolicy, host: string, port: number): boolean =>
  policy.isAllowed(urlOf(host, port));

/**
 * Where a host is that an organisation names, for what speaks another protocol than HTTP: all its addresses are checked, and one of them is
 * answered. @throws AddressRefused
 */
export async function outboundAddress(policy: AddressPolicy, host: string, port: number): Promise<OutboundAddress> {
  const url = urlOf(host, port);
  policy.requireUrl(url);
  const isAllowed = policy.isAllowed(url);
  if (isIP(host) !== 0) return { address: host, isAllowed };
  const found = isAllowed ? await lookUp(host, { all: true }) : await resolveName(host);
  const [first] = found;
  if (!first) throw new AddressRefused(`${host} has no address`);
  const addresses = found.map(({ address }) => address);
  if (!isAllowed) policy.requireAddresses(host, addresses);
  return { address: first.address, isAllowed };
}
