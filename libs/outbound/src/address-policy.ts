import ipaddr from 'ipaddr.js';
import { AddressRefused } from './failures.ts';

/** Which addresses services may call that organisations name. */
export interface AddressPolicy {
  /** Of what can be seen without asking for its addresses. @throws AddressRefused */
  readonly requireUrl: (url: URL) => void;
  /** The same of what somebody has written, as a sentence; undefined: nothing is wrong with it. */
  readonly urlRefusal: (written: string) => string | undefined;
  /** Whether an operator allows it by name, whatever its addresses are. */
  readonly isAllowed: (url: URL) => boolean;
  /** Of a name that is not allowed, with all addresses that it has now. @throws AddressRefused where one of them is not public */
  readonly requireAddresses: (hostname: string, addresses: readonly string[]) => void;
}

/** Names that operators allow although their addresses are not public, with commas between: `crm.internal, 10.0.0.7:8080`. */
export function addressPolicy(allowedHosts: string): AddressPolicy {
  const allowed = new Set(
    allowedHosts
      .split(',')
      .map((host) => host.trim())
      .filter((host) => host !== '')
      .map(asInUrls),
  );
  const isAllowed = ({ protocol, hostname, port }: URL): boolean =>
    allowed.has(hostname) || allowed.has(`${hostname}:${port === '' ? (USUAL_PORTS[protocol] ?? '') : port}`);
  function requireUrl(url: URL): void {
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
  }
  return {
    isAllowed,
    requireUrl,
    urlRefusal(written) {
      try {
        requireUrl(new URL(written));
        return undefined;
      } catch (error) {
        return error instanceof AddressRefused ? error.message : 'this is no URL';
      }
    },
    requireAddresses(hostname, addresses) {
      if (!addresses.every(isPublicAddress)) throw notPublic(hostname);
    },
  };
}

const USUAL_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** An entry with a port allows that one alone; URLs leave out the usual ones. */
function asInUrls(entry: string): string {
  const [, host = '', port = ''] = /^(.*?)((?::\d+)?)$/.exec(entry) ?? [];
  return `${new URL(`http://${host}`).hostname}${port}`;
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

/** Of IPv6 nothing else is given to anybody in the internet; `::10.0.0.1` is an old detour to a network of IPv4. */
const PUBLIC_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public by its number, and in every virtual machine of Azure the host that it runs on. */
const HOST_OF_AZURE = '168.63.129.16';

/** An address of the internet, and of nothing that is special: no network of its own, no multicast, nothing that is a detour to one. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(PUBLIC_IPV6)) return false;
  return parsed.range() === 'unicast' && parsed.toString() !== HOST_OF_AZURE;
}
