import ipaddr from 'ipaddr.js';
import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';

/** One address, or all of a CIDR range. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, prefixLength: number];

/** Says from which address a request comes: for limits and for nothing else, as it proves nobody's identity. */
export type ClientAddressOf = (request: Addressed) => string;

/** What a request tells about its way here. */
export interface Addressed {
  readonly socket: { readonly remoteAddress?: string | undefined };
  readonly headers: IncomingHttpHeaders;
}

/** What addresses go by that nobody could tell: all of them share one limit. */
const UNKNOWN = 'unknown';

const MAX_REMEMBERED = 10_000;

/**
 * The address at the other end of the connection. A proxy that we trust tells in `X-Forwarded-For` whom it speaks
 * for; the nearest address that is no trusted proxy counts. What stands before that one anybody could have written.
 */
export function clientAddresses(trustedProxies: readonly AddressRange[]): ClientAddressOf {
  return ({ socket: { remoteAddress = '' }, headers }) => {
    const forwarded = headers['x-forwarded-for'];
    if (typeof forwarded !== 'string' || trustedProxies.length === 0) return normalAddress(remoteAddress);
    let client = parseAddress(remoteAddress);
    if (!client) return UNKNOWN;
    const hops = forwarded.split(',');
    while (hops.length > 0 && isWithin(client, trustedProxies)) {
      const next = parseAddress(withoutPort(hops.pop() ?? ''));
      // Names and `unknown` count as the proxy that wrote them.
      if (!next) break;
      client = next;
    }
    return client.toString();
  };
}

/**
 * What one client can be expected to hold: an address of IPv4, and of IPv6 the network of 64 bits that is given out
 * to a single line, in which it may choose any address.
 */
export const networkOf = remembering((address: string): string => {
  const parsed = parseAddress(address);
  if (parsed?.kind() !== 'ipv6') return address;
  const [network] = ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString().split('%');
  return `${network}/64`;
});

const normalAddress = remembering((address: string): string => parseAddress(address)?.toString() ?? UNKNOWN);

/** Addresses come back with every request, and reading one takes longer than the rest of what a limit does. */
function remembering(read: (address: string) => string): (address: string) => string {
  const known = new Map<string, string>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    if (known.size >= MAX_REMEMBERED) known.clear();
    const answer = read(address);
    known.set(address, answer);
    return answer;
  };
}

/** `10.0.0.1`, `10.0.0.0/8`, `fd00::/8`; undefined for anything else. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [address = '', prefixLength, ...more] = text.split('/');
  const parsed = parseAddress(address);
  if (!parsed || more.length > 0) return undefined;
  const bits = parsed.kind() === 'ipv4' ? 32 : 128;
  if (prefixLength === undefined) return [parsed, bits];
  if (!/^\d{1,3}$/.test(prefixLength) || Number(prefixLength) > bits) return undefined;
  return [parsed, Number(prefixLength)];
}

/** An IPv4 address is the same when it is written as IPv6, `::ffff:192.0.2.1`, as on sockets that take both. */
const parseAddress = (text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  // The parser alone would also take 127.1 and 0x7f.1.
  isIP(text) === 0 ? undefined : ipaddr.process(text);

const isWithin = (address: ipaddr.IPv4 | ipaddr.IPv6, ranges: readonly AddressRange[]): boolean =>
  ranges.some(([base, prefixLength]) => base.kind() === address.kind() && address.match(base, prefixLength));

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const withoutPort = (hop: string): string => hop.trim().replace(/^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/, '$1$2');
