import { describe, expect, it } from '@jest/globals';
import { apiKeyHeaderCredential, bearerCredential, headersWithCredential } from './credentials.ts';

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

  it('comes with another scheme or in the query where an operation takes that, and a bearer comes first', () => {
    const secretIn = (authorization: string | undefined, rawQuery: string) =>
      bearerCredential(headersWithCredential(authorization === undefined ? {} : { authorization }, rawQuery))?.secret;
    expect(secretIn('token abc', '')).toBe('abc');
    expect(secretIn(undefined, 'session_id=1&token=a%2Bc')).toBe('a+c');
    expect(secretIn('Bearer abc', 'token=other')).toBe('abc');
    expect(secretIn('Basic abc', 'token=other')).toBeUndefined();
    expect(secretIn(undefined, '1700000000000')).toBeUndefined();
  });

  it('in the Api-key header is always a key, and absent when empty', () => {
    expect(apiKeyHeaderCredential({ 'api-key': 'abc' })).toEqual({ kind: 'api_key', secret: 'abc' });
    expect(apiKeyHeaderCredential({ 'api-key': '  ' })).toBeUndefined();
    expect(apiKeyHeaderCredential({})).toBeUndefined();
  });
});
