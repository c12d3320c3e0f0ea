import { describe, expect, it } from '@jest/globals';
import { readGatewayConfiguration } from './configuration.ts';

const GOOD = {
  OIDC_ISSUER: 'https://login.example',
  OIDC_AUDIENCE: 'platform',
  SERVICE_PRIVATE_KEY: '{"kty":"OKP","crv":"Ed25519","x":"AA","d":"AA"}',
  CURSOR_KEY: 'a cursor key of the platform',
};

describe('the configuration of the gateway', () => {
  it('finds the service of each domain of the contract, and leaves out those without an address', () => {
    const { addresses } = readGatewayConfiguration({ ...GOOD, IDENTITY_ADDRESS: 'identity:5001' }, [
      'identity',
      'billing',
    ]);
    expect([...addresses]).toEqual([['identity', 'identity:5001']]);
  });

  it('refuses a setting of a policy by its former name, and says the new one', () => {
    expect(() => readGatewayConfiguration({ ...GOOD, GATEWAY_HELD_LIMIT_BYTES: '1' }, [])).toThrow(
      'GATEWAY_HELD_LIMIT_BYTES is called GATEWAY_BODY_MEMORY_LIMIT_BYTES now.',
    );
  });

  it('names everything that is wrong at once, and no secret', () => {
    const bad = {
      SERVICE_PRIVATE_KEY: '{"d":1}',
      CURSOR_KEY: 'too short',
      IDENTITY_ADDRESS: 'nowhere',
      PLATFORM_PORT: '99999',
    };
    expect(() => readGatewayConfiguration(bad, ['identity'])).toThrow(
      expect.objectContaining({
        problems: [
          expect.stringContaining('IDENTITY_ADDRESS'),
          expect.stringContaining('PLATFORM_PORT'),
          expect.stringContaining('OIDC_ISSUER'),
          expect.stringContaining('OIDC_AUDIENCE'),
          expect.stringContaining('SERVICE_PRIVATE_KEY'),
          expect.not.stringContaining('too short'),
        ],
      }),
    );
  });
});

describe('the algorithms of tokens', () => {
  it('are all sound ones unless fewer are named', () => {
    expect(readGatewayConfiguration(GOOD, []).OIDC_ALGORITHMS).toContain('PS512');
    const { OIDC_ALGORITHMS } = readGatewayConfiguration({ ...GOOD, OIDC_ALGORITHMS: ' ES256, PS256 ,ES256' }, []);
    expect([...OIDC_ALGORITHMS].sort()).toEqual(['ES256', 'PS256']);
  });

  it.each(['none', 'HS256', 'RS256,HS256', 'rs256', 'RS1', ',', 'RS256 ES256'])('are not taken from %j', (value) => {
    expect(() => readGatewayConfiguration({ ...GOOD, OIDC_ALGORITHMS: value }, [])).toThrow(
      'OIDC_ALGORITHMS must be one or more of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, ' +
        `Ed25519, separated by commas and is "${value}", for example RS256,ES256.`,
    );
  });
});

describe('the trusted proxies', () => {
  it('are none unless given, and addresses or ranges', () => {
    expect(readGatewayConfiguration(GOOD, []).GATEWAY_TRUSTED_PROXIES).toEqual([]);
    const { GATEWAY_TRUSTED_PROXIES } = readGatewayConfiguration(
      { ...GOOD, GATEWAY_TRUSTED_PROXIES: '10.0.0.0/8, ::1' },
      [],
    );
    expect(GATEWAY_TRUSTED_PROXIES.map(([address, length]) => `${address.toString()}/${length}`)).toEqual([
      '10.0.0.0/8',
      '::1/128',
    ]);
  });

  it('are not taken when one of them is anything else', () => {
    expect(() => readGatewayConfiguration({ ...GOOD, GATEWAY_TRUSTED_PROXIES: '10.0.0.1,proxy' }, [])).toThrow(
      'GATEWAY_TRUSTED_PROXIES must be IP addresses and CIDR ranges separated by commas and is "10.0.0.1,proxy", for example 10.0.0.0/8,2001:db8::7.',
    );
  });
});
