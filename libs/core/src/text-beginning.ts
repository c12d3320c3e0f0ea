/** The beginning of a text, of at most so many UTF-16 code units, without half a character at its end: JSON columns refuse one. */
export function beginningOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  return text.slice(0, isWithinPair(text, maxLength) ? maxLength - 1 : maxLength);
}

/** The end of a text, of at most so many UTF-16 code units, without half a character at its beginning. */
export function endOf(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const from = text.length - maxLength;
  return text.slice(isWithinPair(text, from) ? from + 1 : from);
}

/** The beginning of a text, of at most so many bytes as UTF-8, without a part of a character at its end. */
export function beginningInBytes(text: string, maxBytes: number): string {
  if (text.length * MAX_BYTES_OF_UNIT <= maxBytes) return text;
  // No unit takes less than a byte.
  const room = new Uint8Array(Math.max(0, Math.min(maxBytes, text.length * MAX_BYTES_OF_UNIT)));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read);
}

const MAX_BYTES_OF_UNIT = 3;

const isWithinPair = (text: string, at: number): boolean =>
  at > 0 && isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);

const isBetween = (code: number, from: number, to: number): boolean => code >= from && code <= to;
