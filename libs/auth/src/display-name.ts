/** In characters (code points), as long as the name of an API key may be. */
const MAX_DISPLAY_NAME = 200;

/**
 * A person's name as it is shown and stored, whatever an identity provider says: without control characters and
 * halves of characters, which no database keeps, and cut rather than refused. Nobody is locked out for a long name.
 */
export function displayName(text: string): string {
  const clean = text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return Array.from(clean).slice(0, MAX_DISPLAY_NAME).join('').trimEnd();
}
