import { describe, expect, it } from '@jest/globals';
import { apiKeyHeaderCredential, bearerCredential } from './credentials.ts';

describe('the credential of a request', () => {
  it('is what follows the scheme, in any case of the scheme', () => {
    for (const authorization of ['Bearer abc', 'bearer abc', 'BEARER   abc ']) {
      expect(bearerCredential({ authorization })).toEqual({ kind: 'token', secret: 'abc' });
    }
  });

  it('is an API key when it begins like one', () => {
    expect(bearerCredential({ authorization: 'Bearer pk_abc' })?.kind).toBe('api_key');
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic abc', 'BearerX abc', 'Basic Bearer abc'])(
    'is absent in %j',
    (authorization) => {
      expect(bearerCredential({ authorization })).toBeUndefined();
    },
  );

  it('in the Api-key header is always a key, and absent when empty', () => {
    expect(apiKeyHeaderCredential({ 'api-key': 'abc' })).toEqual({ kind: 'api_key', secret: 'abc' });
    expect(apiKeyHeaderCredential({ 'api-key': '  ' })).toBeUndefined();
    expect(apiKeyHeaderCredential({})).toBeUndefined();
  });
});
