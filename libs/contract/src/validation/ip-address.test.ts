import { describe, expect, it } from '@jest/globals';
import { reasonAgainstIpv4, reasonAgainstIpv6 } from './ip-address.ts';

describe('IP addresses', () => {
  it.each(['1.2.3.4', '0.0.0.0', '255.255.255.255'])('%s is IPv4', (text) => {
    expect(reasonAgainstIpv4(text)).toBeUndefined();
  });

  it.each([
    ['', 'Address cannot be empty'],
    ['1.2.3', "Expected 4 octets in '1.2.3'"],
    ['1.2.3.', "Empty octet not permitted in '1.2.3.'"],
    ['1.2.3.256', "Octet 256 (> 255) not permitted in '1.2.3.256'"],
    ['1.2.3.04', "Leading zeros are not permitted in '04' in '1.2.3.04'"],
    ['1.2.3.4000', "At most 3 characters permitted in '4000' in '1.2.3.4000'"],
  ])('%s is not: %s', (text, reason) => {
    expect(reasonAgainstIpv4(text)).toBe(reason);
  });

  it.each(['::', '::1', '1::', '2001:db8::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', 'fe80::1%eth0'])(
    '%s is IPv6',
    (text) => {
      expect(reasonAgainstIpv6(text)).toBeUndefined();
    },
  );

  it.each([
    ['1:2', "At least 3 parts expected in '1:2'"],
    ['1:2:3:4:5:6:7:8:9:a', "At most 8 colons permitted in '1:2:3:4:5:6:7:8:9:a'"],
    ['1::2::3', "At most one '::' permitted in '1::2::3'"],
    [':1:2:3:4:5:6:7', "Leading ':' only permitted as part of '::' in ':1:2:3:4:5:6:7'"],
    ['1:2:3:4:5:6:7:', "Trailing ':' only permitted as part of '::' in '1:2:3:4:5:6:7:'"],
    ['1:2:3:4:5:6:7', "Exactly 8 parts expected without '::' in '1:2:3:4:5:6:7'"],
    ['::g', "Only hex digits permitted in 'g' in '::g'"],
    ['::12345', "At most 4 characters permitted in '12345' in '::12345'"],
    ['::1.2.3', "Expected 4 octets in '1.2.3' in '::1.2.3'"],
  ])('%s is not: %s', (text, reason) => {
    expect(reasonAgainstIpv6(text)).toBe(reason);
  });
});
