import type { Target } from './target.ts';

const NO_HEADERS: readonly string[] = [];

/** The headers of a page of a list (D21), flat; none for an answer that is no page or the last one. */
export function pageHeaders(
  target: Pick<Target, 'path' | 'rawQuery'>,
  nextCursor: string | undefined,
  totalCount: number | undefined,
): readonly string[] {
  if (nextCursor === undefined && totalCount === undefined) return NO_HEADERS;
  const headers: string[] = [];
  if (nextCursor !== undefined) {
    const next = `${target.path}?${withCursor(target.rawQuery, nextCursor)}`;
    headers.push('Link', `<${next.replaceAll(NOT_IN_A_TARGET, percentEncoded)}>; rel="next"`);
    headers.push('X-Next-Cursor', nextCursor);
  }
  if (totalCount !== undefined) headers.push('X-Total-Count', String(totalCount));
  return headers;
}

/** The same query for the next page; every other parameter stays as it was sent. */
function withCursor(rawQuery: string, cursor: string): string {
  const kept = rawQuery.split('&').filter((pair) => pair !== '' && pair !== 'cursor' && !pair.startsWith('cursor='));
  return [...kept, `cursor=${cursor}`].join('&');
}

/** What RFC 3986 does not let stand in a path or query, although clients send it: `>` would end the link. */
const NOT_IN_A_TARGET = /[^\w\-.~!$&'()*+,;=:@/?%]/g;

/** Node hands a request target over byte by byte, so every character here is one byte. */
const percentEncoded = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
