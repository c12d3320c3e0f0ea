import { describe, expect, it } from '@jest/globals';
import { algorithmsOf, TOKEN_ALGORITHMS } from './token-algorithms.ts';

describe('the algorithms of tokens', () => {
  it('are the sound ones, none of them with a shared secret', () => {
    expect([...TOKEN_ALGORITHMS].sort()).toEqual(
      'ES256 ES384 ES512 Ed25519 EdDSA PS256 PS384 PS512 RS256 RS384 RS512'.split(' '),
    );
  });

  it.each([
    [{ kty: 'RSA' }, ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']],
    [{ kty: 'RSA', alg: 'PS384' }, ['PS384']],
    [{ kty: 'EC', crv: 'P-256' }, ['ES256']],
    [{ kty: 'EC', crv: 'P-521', alg: 'ES512' }, ['ES512']],
    [{ kty: 'OKP', crv: 'Ed25519' }, ['EdDSA', 'Ed25519']],
    [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA' }, ['EdDSA']],
    [{ kty: 'RSA', alg: 'RSA-OAEP' }, []],
    [{ kty: 'RSA', alg: 'ES256' }, []],
    [{ kty: 'EC', crv: 'P-384', alg: 'ES256' }, []],
    [{ kty: 'EC', crv: 'secp256k1' }, []],
    [{ kty: 'EC', crv: 'Ed25519' }, []],
    [{ kty: 'OKP', crv: 'X25519' }, []],
    [{ kty: 'oct', alg: 'HS256' }, []],
    [{}, []],
  ])('that the key %j may verify are %j', (jwk, algorithms) => {
    expect(algorithmsOf(jwk)).toEqual(algorithms);
  });
});
