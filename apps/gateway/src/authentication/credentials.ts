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
 * The headers with what a client says in another way: its credential as `Authorization: token …` or as `token` in the query, its
 * organisation as `organisation_id` there. A browser can set no header of a WebSocket. What is in the headers comes first.
 */
export function headersWithCredential(headers: IncomingHttpHeaders, rawQuery: string): IncomingHttpHeaders {
  const query = new URLSearchParams(rawQuery);
  const { authorization, 'x-organisation-id': organisation } = headers;
  const bearer = authorization === undefined ? query.get('token') : /^token (.*)$/i.exec(authorization)?.[1];
  const organisationId = query.get('organisation_id');
  return {
    ...headers,
    ...(bearer && { authorization: `Bearer ${bearer}` }),
    ...(organisation === undefined && organisationId && { 'x-organisation-id': organisationId }),
  };
}

/** Jupyter's subprotocol of a WebSocket whose client sends its credential as another one, after a dot. */
export const TOKEN_SUBPROTOCOL = 'v1.token.websocket.jupyter.org';

/** The headers of a WebSocket's request with a credential from its subprotocols as a bearer; no service reads it there. */
export function headersWithoutTokenProtocol(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'sec-websocket-protocol': offered = '', ...others } = headers;
  const protocols = offered.split(',').map((protocol) => protocol.trim());
  const isToken = (protocol: string): boolean => protocol.startsWith(`${TOKEN_SUBPROTOCOL}.`);
  const token = protocols.find(isToken)?.slice(TOKEN_SUBPROTOCOL.length + 1);
  if (token === undefined) return headers;
  const kept = protocols.filter((protocol) => !isToken(protocol)).join(', ');
  return {
    ...others,
    // A handshake whose list of subprotocols is empty is refused.
    ...(kept !== '' && { 'sec-websocket-protocol': kept }),
    authorization: others.authorization ?? `Bearer ${unescaped(token)}`,
  };
}

/** A subprotocol has no blanks, commas and slashes, so that clients may escape what is sent as one. */
function unescaped(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** The credential in `Api-key`; an empty header counts as absent (D11). */
export function apiKeyHeaderCredential(headers: IncomingHttpHeaders): Credential | undefined {
  const header = headers['api-key'];
  const secret = (typeof header === 'string' ? header : '').trim();
  return secret === '' ? undefined : { kind: 'api_key', secret };
}
