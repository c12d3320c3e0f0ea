import { describe, expect, it } from '@jest/globals';
import {
  apiKeyHeaderCredential,
  bearerCredential,
  headersWithCredential,
  headersWithoutTokenProtocol,
} from './credentials.ts';

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

  it('comes as a subprotocol of a WebSocket, where no service sees it', () => {
    const offered = (protocols: string, more = {}) =>
      headersWithoutTokenProtocol({ 'sec-websocket-protocol': protocols, ...more });
    const token = 'v1.token.websocket.jupyter.org';
    expect(offered(`v1.kernel.websocket.jupyter.org, ${token}, ${token}.a.b%2Bc`)).toEqual({
      'sec-websocket-protocol': `v1.kernel.websocket.jupyter.org, ${token}`,
      authorization: 'Bearer a.b+c',
    });
    expect(offered(`${token}.100%`)).toEqual({ authorization: 'Bearer 100%' });
    expect(offered(`${token}.abc`, { authorization: 'Bearer x' }).authorization).toBe('Bearer x');
    expect(offered('v1.sample')).toEqual({ 'sec-websocket-protocol': 'v1.sample' });
    expect(headersWithoutTokenProtocol({})).toEqual({});
  });

  it('comes with an organisation in the query, unless a header names one', () => {
    const organisationIn = (headers: Record<string, string>, query: string) =>
      headersWithCredential(headers, query)['x-organisation-id'];
    expect(organisationIn({}, 'token=abc&organisation_id=org_1')).toBe('org_1');
    expect(organisationIn({ 'x-organisation-id': 'org_2' }, 'organisation_id=org_1')).toBe('org_2');
    expect(organisationIn({}, 'token=abc')).toBeUndefined();
  });

  it('in the Api-key header is always a key, and absent when empty', () => {
    expect(apiKeyHeaderCredential({ 'api-key': 'abc' })).toEqual({ kind: 'api_key', secret: 'abc' });
    expect(apiKeyHeaderCredential({ 'api-key': '  ' })).toBeUndefined();
    expect(apiKeyHeaderCredential({})).toBeUndefined();
  });
});
