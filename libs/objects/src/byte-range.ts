import { rangeNotSatisfiable } from '@platform-backend/core';
import type { ByteRange } from './object-store.ts';

export interface RequestedRange {
  /** The headers as they came (RFC 9110, 14.2 and 13.1.5); empty: none. */
  readonly range: string;
  readonly ifRange: string;
}

/**
 * The part of a file that a client asks for; undefined where it gets all of it: it asks for no part, for several, in a way
 * that we do not know, or for one of a file that has been another one. RANGE_NOT_SATISFIABLE: it begins behind the end.
 */
export function rangeOf(
  { range, ifRange }: RequestedRange,
  { bytes, etag }: { readonly bytes: number; readonly etag: string },
): ByteRange | undefined {
  if (ifRange !== '' && ifRange !== etag) return undefined;
  const [, from = '', to = ''] = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(range.trim()) ?? [];
  if (from === '' && to === '') return undefined;
  if (from === '') {
    const wanted = Math.min(Number(to), bytes);
    if (wanted === 0) throw rangeNotSatisfiable(bytes);
    return { first: bytes - wanted, last: bytes - 1 };
  }
  const [first, last] = [Number(from), to === '' ? Infinity : Number(to)];
  if (last < first) return undefined;
  if (first >= bytes) throw rangeNotSatisfiable(bytes);
  return { first, last: Math.min(last, bytes - 1) };
}
