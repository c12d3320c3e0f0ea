/** What stands where a character stood that PostgreSQL keeps nowhere, neither in `text` nor in `jsonb`. */
const REPLACEMENT = '\uFFFD';

/** Text as it can be kept: without NUL characters and halves of surrogate pairs, which programs and bad data write. */
export const storableText = (text: string): string => text.replaceAll('\0', REPLACEMENT).toWellFormed();

/** JSON as it can be kept, names of fields included. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Of escapes with numbers JSON.stringify writes those of control characters and of halves of surrogate pairs alone.
  return json.includes(String.raw`\u`) ? json.replaceAll(ESCAPES, replaced) : json;
}

/** Each escape as a whole, so that the end of one is never taken for the beginning of another. */
const ESCAPES = /\\(?:u[\da-f]{4}|.)/g;

const replaced = (escape: string): string => (/^\\u(?:0000|d[89a-f])/.test(escape) ? REPLACEMENT : escape);
