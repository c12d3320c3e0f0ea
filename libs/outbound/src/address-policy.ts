import ipaddr from 'ipaddr.js';
import { AddressRefused } from './failures.ts';

/** Which addresses services may call that organisations name. */
export interface AddressPolicy {
  /** Of what can be seen without asking for its addresses. @throws AddressRefused */
  readonly requireUrl: (url: URL) => void;
  /** Of a name, with all addresses that it has now. @throws AddressRefused where one of them is not public */
  readonly requireAddresses: (hostname: string, addresses: readonly string[]) => void;
}

/** Names that operators allow although their addresses are not public, with commas between: `crm.internal, 10.0.0.7:8080`. */
export function addressPolicy(allowedHosts: string): AddressPolicy {
  const allowed = new Set(
    allowedHosts
      .split(',')
      .map((host) => host.trim().toLowerCase())
      .filter((host) => host !== ''),
  );
  // An entry with a port allows that one alone, and names are resolved without one.
  const allowedNames = new Set([...allowed].map((host) => new URL(`http://${host}`).hostname));
  const isAllowed = ({ host, hostname }: URL): boolean => allowed.has(host) || allowed.has(hostname);
  return {
    requireUrl(url) {
      if (url.username !== '' || url.password !== '')
        throw new AddressRefused('It holds a user name or a password: secrets belong into headers');
      if (isAllowed(url)) {
        if (url.protocol === 'https:' || url.protocol === 'http:') return;
      } else if (url.protocol === 'https:') {
        const literal = literalOf(url.hostname);
        if (literal !== undefined && !isPublicAddress(literal)) throw notPublic(url.hostname);
        if (isLocalName(url.hostname)) throw notPublic(url.hostname);
        return;
      }
      throw new AddressRefused('It has to begin with https://');
    },
    requireAddresses(hostname, addresses) {
      if (allowedNames.has(hostname)) return;
      if (!addresses.every(isPublicAddress)) throw notPublic(hostname);
    },
  };
}

const notPublic = (hostname: string): AddressRefused =>
  new AddressRefused(`${hostname} is not a public address, and not one of those that the operator allows by name`);

/** `[::1]` is `::1`; undefined: a name. */
function literalOf(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(bare) ? bare : undefined;
}

/** Names of this machine or network, whatever they are resolved to. */
const isLocalName = (hostname: string): boolean => /(?:^|\.)(?:localhost|local|internal)\.?$/.test(hostname);

/** An address of the internet, and of nothing that is special: no network of its own, no multicast, nothing that is a detour to one. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast';
}
