import { describe, expect, it } from '@jest/globals';
import { clientAddresses, networkOf, parseAddressRange, type AddressRange } from './client-address.ts';

const rangesOf = (...texts: string[]): AddressRange[] => texts.map((text) => parseAddressRange(text) as AddressRange);

const addressOf = (remoteAddress: string | undefined, forwardedFor?: string, ...proxies: string[]): string =>
  clientAddresses(rangesOf(...proxies))({
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwardedFor },
  });

describe('the address of a client', () => {
  it('is that of its connection, whatever it writes into X-Forwarded-For', () => {
    expect(addressOf('192.0.2.1')).toBe('192.0.2.1');
    expect(addressOf('192.0.2.1', '198.51.100.1')).toBe('192.0.2.1');
    expect(addressOf('192.0.2.1', '198.51.100.1', '10.0.0.0/8')).toBe('192.0.2.1');
  });

  it('is what a trusted proxy says', () => {
    expect(addressOf('10.1.2.3', '192.0.2.1', '10.0.0.0/8')).toBe('192.0.2.1');
    expect(addressOf('fd00::7', ' 2001:DB8:0::1 ', 'fd00::/8')).toBe('2001:db8::1');
  });

  it('is the nearest one that is no trusted proxy: what stands before it anybody could have written', () => {
    const forwardedFor = '203.0.113.9, 127.0.0.1, 192.0.2.1, 10.0.0.2';
    expect(addressOf('10.0.0.1', forwardedFor, '10.0.0.0/8', '127.0.0.1')).toBe('192.0.2.1');
    expect(addressOf('10.0.0.1', forwardedFor, '10.0.0.1')).toBe('10.0.0.2');
  });

  it('is the farthest one where all of them are trusted', () => {
    expect(addressOf('10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.0/8')).toBe('10.0.0.3');
    expect(addressOf('10.0.0.1', undefined, '10.0.0.0/8')).toBe('10.0.0.1');
  });

  it.each(['unknown', '', '192.0.2', '0x7f.1', '192.0.2.1, garbage'])(
    'is that of the proxy where it says no address: %j',
    (forwardedFor) => {
      expect(addressOf('10.0.0.1', forwardedFor, '10.0.0.1')).toBe('10.0.0.1');
    },
  );

  it('has no port', () => {
    expect(addressOf('10.0.0.1', '192.0.2.1:4711', '10.0.0.1')).toBe('192.0.2.1');
    expect(addressOf('10.0.0.1', '[2001:db8::1]:4711', '10.0.0.1')).toBe('2001:db8::1');
    expect(addressOf('10.0.0.1', '[2001:db8::1]', '10.0.0.1')).toBe('2001:db8::1');
  });

  it('of IPv4 is the same on a socket that takes both', () => {
    expect(addressOf('::ffff:192.0.2.1')).toBe('192.0.2.1');
    expect(addressOf('::ffff:10.0.0.1', '::ffff:192.0.2.1', '10.0.0.0/8')).toBe('192.0.2.1');
  });

  it('is nobody’s when the connection has none any more', () => {
    expect(addressOf(undefined, '192.0.2.1', '10.0.0.1')).toBe('unknown');
  });
});

describe('the network of an address', () => {
  it('is the address alone of IPv4', () => {
    expect(networkOf('192.0.2.1')).toBe('192.0.2.1');
    expect(networkOf('unknown')).toBe('unknown');
  });

  it('is the 64 bits that one line has of IPv6', () => {
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:2:ffff::')).toBe('2001:db8:1:2::/64');
    expect(networkOf('2001:db8:1:3::')).not.toBe(networkOf('2001:db8:1:2::'));
    expect(networkOf('fe80::1%eth0')).toBe('fe80::/64');
  });
});

describe('a range of addresses', () => {
  it.each(['10.0.0.1', '10.0.0.0/8', '0.0.0.0/0', '2001:db8::1', 'fd00::/8', '::1/128'])('is read: %s', (text) => {
    expect(parseAddressRange(text)).toBeDefined();
  });

  it.each(['', 'proxy', '10.0.0', '10.0.0.0/', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', 'fd00::/129', '0x7f.1'])(
    'is refused: %j',
    (text) => {
      expect(parseAddressRange(text)).toBeUndefined();
    },
  );
});
