/**
 * Percent-decodes as Python's `unquote` does: escapes that are none stay as they are, and bytes
 * that are not UTF-8 become U+FFFD. It never fails.
 */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[\da-fA-F]{2})+/g, (escapes) =>
    Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
}

/** The same for a query string or a form, where `+` is a space. */
export function plusDecoded(text: string): string {
  return percentDecoded(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Percent-encodes what may not stand in a URL and leaves what already is an escape. */
export function percentEncoded(text: string): string {
  return text.replace(/[^A-Za-z0-9_.~:/%#?=@[\]!$&'()*+,;-]/gu, (character) =>
    Array.from(Buffer.from(character, 'utf8'), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(
      '',
    ),
  );
}
