import { pythonRepr } from './python-repr.ts';

/** Why a text is no IPv4 address, in the words of Python's ipaddress; undefined when it is one. */
export function reasonAgainstIpv4(text: string): string | undefined {
  if (text.includes('/')) return `Unexpected '/' in ${pythonRepr(text)}`;
  if (text === '') return 'Address cannot be empty';
  const octets = text.split('.');
  if (octets.length !== 4) return `Expected 4 octets in ${pythonRepr(text)}`;
  const reason = firstReason(octets, reasonAgainstOctet);
  return reason && `${reason} in ${pythonRepr(text)}`;
}

function reasonAgainstOctet(octet: string): string | undefined {
  if (octet === '') return 'Empty octet not permitted';
  if (!/^\d+$/.test(octet)) return `Only decimal digits permitted in ${pythonRepr(octet)}`;
  if (octet.length > 3) return `At most 3 characters permitted in ${pythonRepr(octet)}`;
  if (octet !== '0' && octet.startsWith('0')) return `Leading zeros are not permitted in ${pythonRepr(octet)}`;
  return Number(octet) > 255 ? `Octet ${octet} (> 255) not permitted` : undefined;
}

/** Why a text is no IPv6 address, in the words of Python's ipaddress; undefined when it is one. */
export function reasonAgainstIpv6(text: string): string | undefined {
  if (text.includes('/')) return `Unexpected '/' in ${pythonRepr(text)}`;
  const [address = '', ...scope] = text.split('%');
  if (scope.length > 1 || scope[0] === '') return `Invalid IPv6 address: "${pythonRepr(text)}"`;
  if (address === '') return 'Address cannot be empty';
  const shown = pythonRepr(address);
  const parts = address.split(':');
  if (parts.length < 3) return `At least 3 parts expected in ${shown}`;
  const last = parts.at(-1) ?? '';
  if (last.includes('.')) {
    const reason = reasonAgainstIpv4(last);
    if (reason !== undefined) return `${reason} in ${shown}`;
    parts.splice(-1, 1, '0', '0');
  }
  if (parts.length > 9) return `At most 8 colons permitted in ${shown}`;
  return reasonAgainstParts(parts, shown);
}

function reasonAgainstParts(parts: readonly string[], shown: string): string | undefined {
  const skipped = parts.flatMap((part, index) => (part === '' && index > 0 && index < parts.length - 1 ? [index] : []));
  if (skipped.length > 1) return `At most one '::' permitted in ${shown}`;
  const [skip] = skipped;
  const first = parts[0] === '';
  const last = parts.at(-1) === '';
  if (skip === undefined) {
    if (parts.length !== 8) return `Exactly 8 parts expected without '::' in ${shown}`;
    if (first) return leadingColon(shown);
    if (last) return trailingColon(shown);
    return reasonAgainstHextets(parts, shown);
  }
  const high = skip - (first ? 1 : 0);
  const low = parts.length - skip - 1 - (last ? 1 : 0);
  if (first && high > 0) return leadingColon(shown);
  if (last && low > 0) return trailingColon(shown);
  if (high + low > 7) return `Expected at most 7 other parts with '::' in ${shown}`;
  return reasonAgainstHextets([...parts.slice(0, high), ...(low > 0 ? parts.slice(-low) : [])], shown);
}

function leadingColon(shown: string): string {
  return `Leading ':' only permitted as part of '::' in ${shown}`;
}

function trailingColon(shown: string): string {
  return `Trailing ':' only permitted as part of '::' in ${shown}`;
}

function reasonAgainstHextets(hextets: readonly string[], shown: string): string | undefined {
  const reason = firstReason(hextets, (hextet) => {
    if (!/^[\da-fA-F]*$/.test(hextet)) return `Only hex digits permitted in ${pythonRepr(hextet)}`;
    return hextet.length > 4 ? `At most 4 characters permitted in ${pythonRepr(hextet)}` : undefined;
  });
  return reason && `${reason} in ${shown}`;
}

function firstReason(
  parts: readonly string[],
  reasonAgainst: (part: string) => string | undefined,
): string | undefined {
  for (const part of parts) {
    const reason = reasonAgainst(part);
    if (reason !== undefined) return reason;
  }
  return undefined;
}
