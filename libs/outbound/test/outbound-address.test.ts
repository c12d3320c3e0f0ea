import { describe, expect, it } from '@jest/globals';
import { addressPolicy } from '../src/address-policy.ts';
import { AddressRefused } from '../src/failures.ts';
import { hostRefusal, isAllowedHost, outboundAddress } from '../src/outbound-address.ts';

describe('the address of a host that an organisation names', () => {
  const policy = addressPolicy('127.0.0.1:5433, localhost');

  it('is public, whatever is spoken there', async () => {
    expect(await outboundAddress(policy, '93.184.215.14', 5432)).toEqual({
      address: '93.184.215.14',
      isAllowed: false,
    });
    for (const host of ['10.0.0.7', '127.0.0.1', '169.254.169.254', 'db.internal'])
      await expect(outboundAddress(policy, host, 5432)).rejects.toThrow(AddressRefused);
    expect(hostRefusal(policy, '10.0.0.7', 5432)).toContain('not a public address');
  });

  it('may be any where the operator allows it by name, with its port or without', async () => {
    expect(await outboundAddress(policy, '127.0.0.1', 5433)).toEqual({ address: '127.0.0.1', isAllowed: true });
    expect((await outboundAddress(policy, 'localhost', 5432)).isAllowed).toBe(true);
    expect([isAllowedHost(policy, '127.0.0.1', 5433), isAllowedHost(policy, '127.0.0.1', 5432)]).toEqual([true, false]);
  });
});
