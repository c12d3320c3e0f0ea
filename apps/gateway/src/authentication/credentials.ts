import { looksLikeApiKey } from '@platform-backend/auth';
import type { IncomingHttpHeaders } from 'node:http';

/** A credential as presented. Its secret is used for one check and never kept: memory holds hashes. */
export interface Credential {
  readonly kind: 'token' | 'api_key';
  readonly secret: string;
}

/** The credential in `Authorization: Bearer`; undefined when there is none or another scheme. */
export function bearerCredential(headers: IncomingHttpHeaders): Credential | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const space = authorization.indexOf(' ');
  if (space === -1 || authorization.slice(0, space).toLowerCase() !== 'bearer') return undefined;
  const secret = authorization.slice(space + 1).trim();
  if (secret === '') return undefined;
  return { kind: looksLikeApiKey(secret) ? 'api_key' : 'token', secret };
}

/**
 * The headers with the credential of a client that sends it in another way, as `Authorization: token …` or as `token` in
 * the query; a browser has no other way for a WebSocket. A bearer in the headers comes first.
 */
export function headersWithCredential(headers: IncomingHttpHeaders, rawQuery: string): IncomingHttpHeaders {
  const { authorization } = headers;
  if (authorization === undefined) {
    const token = new URLSearchParams(rawQuery).get('token');
    return token === null || token === '' ? headers : { ...headers, authorization: `Bearer ${token}` };
  }
  return /^token /i.test(authorization)
    ? { ...headers, authorization: `Bearer ${authorization.slice('token '.length)}` }
    : headers;
}

/** The credential in `Api-key`; an empty header counts as absent (D11). */
export function apiKeyHeaderCredential(headers: IncomingHttpHeaders): Credential | undefined {
  const header = headers['api-key'];
  const secret = (typeof header === 'string' ? header : '').trim();
  return secret === '' ? undefined : { kind: 'api_key', secret };
}
