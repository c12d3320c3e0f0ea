import { brotliCompressSync } from 'node:zlib';
import { unicodeBaseName } from 'unicode-name';

/** What an error text cannot show as itself: marks, spaces and format characters. */
const invisible = /^[\p{M}\p{Z}\p{Cf}]$/u;

/**
 * Their names in the Unicode Character Database (Copyright Unicode, Inc., see https://www.unicode.org/copyright.html), a line
 * each: `300 COMBINING GRAVE ACCENT`. Compressed, because the library takes 150 ms to load, in which a gateway would serve nobody.
 */
export function characterNames(): Uint8Array {
  const lines: string[] = [];
  for (let code = 0; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    const name = invisible.test(character) ? unicodeBaseName(character) : undefined;
    if (name !== undefined) lines.push(`${code.toString(16).toUpperCase()} ${name}`);
  }
  return brotliCompressSync(lines.join('\n'));
}
