import type { TokenAlgorithm } from './token-algorithms.ts';

/** Largest token that is looked at, in characters: 8 KiB. */
export const MAX_TOKEN = 8 * 1024;

export interface TokenHeader {
  alg: TokenAlgorithm;
  kid?: string;
}

/** Headers through which a token would bring or point at its own key. */
const KEY_BEARING_HEADERS = ['jku', 'jwk', 'x5u', 'x5c'] as const;
/** RFC 9068 access tokens and plain JWTs. Others (`logout+jwt`, `dpop+jwt`, ...) are signed by the same issuer for other ends. */
const TOKEN_TYPES: readonly string[] = ['jwt', 'at+jwt', 'application/at+jwt', 'application/jwt'];

/** Whether a token with this `typ`, in any case, may be an access token; one that says nothing may be. */
export const isTokenType = (typ: unknown): boolean =>
  typ === undefined || (typeof typ === 'string' && TOKEN_TYPES.includes(typ.toLowerCase()));

/**
 * Refuses whatever can be refused without a key: size, form, algorithm, headers that bring their own
 * key or demand something we do not know.
 *
 * @throws Error whose message is for the log only.
 */
export function readTokenHeader(
  token: string,
  algorithms: readonly TokenAlgorithm[],
  isWanted: (typ: unknown) => boolean = isTokenType,
): TokenHeader {
  if (token.length > MAX_TOKEN) throw new Error('The token is larger than 8 KiB.');
  const segments = token.split('.', 4);
  if (segments.length !== 3) throw new Error('The token does not have three parts.');
  // A lenient decoder would let one signature be written in several ways.
  if (!segments.every(isCanonicalBase64Url)) throw new Error('A part of the token is not base64url.');

  const header = parseObject(segments[0] ?? '');
  for (const name of KEY_BEARING_HEADERS) {
    if (name in header) throw new Error(`The token brings its own key in "${name}".`);
  }
  if ('crit' in header) throw new Error('The token demands an extension in "crit".');
  if ('b64' in header || 'zip' in header) throw new Error('The token asks for another encoding of its payload.');
  const { typ, kid } = header;
  if (!isWanted(typ)) throw new Error('The token is of another type.');
  if (kid !== undefined && (typeof kid !== 'string' || kid === '')) throw new Error('The key id is not text.');
  const alg = algorithms.find((known) => known === header['alg']);
  if (!alg) throw new Error('The algorithm is not allowed.');
  return { alg, ...(kid !== undefined && { kid }) };
}

const isCanonicalBase64Url = (text: string): boolean =>
  text !== '' && /^[\w-]+$/.test(text) && Buffer.from(text, 'base64url').toString('base64url') === text;

function parseObject(segment: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
  } catch {
    // Its own message quotes the text, which has no place in a log.
    throw new Error('The header is no JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('The header is no object.');
  return value as Record<string, unknown>;
}
