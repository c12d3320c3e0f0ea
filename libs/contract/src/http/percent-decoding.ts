/**
 * Percent-decodes as Python's `unquote` does: escapes that are none stay as they are, and bytes
 * that are not UTF-8 become U+FFFD. It never fails.
 */
export function percentDecoded(text: string): string {
  if (!text.includes('%')) return text;
  const bytes = Buffer.from(text, 'utf8');
  let end = 0;
  for (let at = 0; at < bytes.length; at++) {
    const escaped = bytes[at] === percent ? escapedByte(bytes[at + 1], bytes[at + 2]) : undefined;
    if (escaped !== undefined) at += 2;
    bytes[end++] = escaped ?? bytes[at] ?? 0;
  }
  return bytes.toString('utf8', 0, end);
}

const percent = 0x25;

/** The value of each hexadecimal digit, by its character code. */
const hexDigits: ReadonlyMap<number | undefined, number> = new Map(
  Array.from('0123456789abcdefABCDEF', (digit) => [digit.charCodeAt(0), parseInt(digit, 16)]),
);

function escapedByte(first: number | undefined, second: number | undefined): number | undefined {
  const high = hexDigits.get(first);
  const low = hexDigits.get(second);
  return high === undefined || low === undefined ? undefined : high * 16 + low;
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
