import { isUtf8 } from 'node:buffer';
import type { InputValue } from '../validation/input-value.ts';
import { JsonError, MAX_NESTING, nestedTooDeep, scanJson } from '../validation/json-scanner.ts';

/** The bytes are no text, or are nested too deeply: status 400 without details. */
export const unreadable = Symbol('unreadable');

/** A JSON body: read fast where that is safe, and exactly on demand. */
export interface JsonBody {
  /** Present when JSON.parse says everything there is to say about a correct request. */
  readonly quick: InputValue | undefined;
  /** Reads it again with every digit, for error messages and great numbers. */
  exact(): InputValue | JsonError | typeof unreadable;
}

/** How a JSON body is read where that is not as usual. */
export interface JsonReadingOptions {
  readonly maxNesting?: number | undefined;
  /** `1.0` is to be told from `1`, and zeros have signs. */
  readonly exactNumbers?: boolean;
}

/** Decodes the bytes of a JSON body and reads it as far as JSON.parse can be trusted with it. */
export function parseJsonBody(
  bytes: Buffer,
  { maxNesting = MAX_NESTING, exactNumbers = false }: JsonReadingOptions = {},
): JsonBody | typeof unreadable {
  const text = decodeJson(bytes);
  if (text === undefined) return unreadable;
  const quick = exactNumbers && mayLoseForm.test(text) ? undefined : readQuickly(text, maxNesting);
  return {
    quick,
    exact: () => {
      // Without floats JSON.parse has said everything.
      const value = quick !== undefined && !mayHaveFloats.test(text) ? quick : scanJson(text, maxNesting);
      return value === nestedTooDeep ? unreadable : value;
    },
  };
}

/** A number with a fraction or an exponent; a text may look like one. */
const mayHaveFloats = /\d[.eE]/;

/** Or the integer zero with a sign, which Python reads as one without. */
const mayLoseForm = /\d[.eE]|-0/;

/**
 * Whether JSON.parse would get something wrong: halves of surrogate pairs, and numbers that do not fit a
 * double (it says Infinity) or lose digits in one. In one expression this would cost more than JSON.parse does: each character
 * would be held against all of it.
 */
const needsExactReader = (text: string): boolean =>
  (text.includes('\\u') && surrogate.test(text)) || greatNumber.test(text);

const surrogate = /\\u[dD]/;
const greatNumber = /\d(?:\d{15}|[eE]\+?\d{3})/;

function readQuickly(text: string, maxNesting: number): InputValue | undefined {
  if (needsExactReader(text) || !text.isWellFormed() || isNestedTooDeep(text, maxNesting)) return undefined;
  try {
    return JSON.parse(text) as InputValue;
  } catch {
    return undefined;
  }
}

function isNestedTooDeep(text: string, maxNesting: number): boolean {
  // Fewer brackets than levels: no need to look closer.
  if (text.length <= maxNesting || countOpening(text, maxNesting) <= maxNesting) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') {
      if (++depth > maxNesting) return true;
    } else if (character === ']' || character === '}') depth--;
  }
  return false;
}

/** No further than is needed to know that there are more. */
function countOpening(text: string, maxNesting: number): number {
  let count = 0;
  for (const bracket of '[{') {
    for (let at = text.indexOf(bracket); at !== -1 && count <= maxNesting; at = text.indexOf(bracket, at + 1)) count++;
  }
  return count;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Python guesses the encoding of a JSON body from its first bytes, whatever the charset says; so do we. */
function decodeJson(bytes: Buffer): string | undefined {
  const [first, second, third, fourth] = bytes;
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) return decodeUtf32(bytes.subarray(4), 'little');
  if (first === 0 && second === 0 && third === 0xfe && fourth === 0xff) return decodeUtf32(bytes.subarray(4), 'big');
  if (first === 0xff && second === 0xfe) return decodeUtf16(bytes.subarray(2), 'little');
  if (first === 0xfe && second === 0xff) return decodeUtf16(bytes.subarray(2), 'big');
  if (first === 0xef && second === 0xbb && third === 0xbf) return decodeUtf8(bytes.subarray(3));
  if (bytes.length >= 4 || bytes.length === 2) {
    if (first === 0) return second !== 0 || bytes.length === 2 ? decodeUtf16(bytes, 'big') : decodeUtf32(bytes, 'big');
    if (second === 0) {
      return bytes.length === 2 || third !== 0 || fourth !== 0
        ? decodeUtf16(bytes, 'little')
        : decodeUtf32(bytes, 'little');
    }
  }
  return decodeUtf8(bytes);
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return decodeUtf8WithSurrogates(bytes);
  }
}

/**
 * Python decodes three bytes that stand for half a surrogate pair. Each becomes a half that
 * cannot complete another, which the exact reader then refuses as JSON.
 */
function decodeUtf8WithSurrogates(bytes: Buffer): string | undefined {
  const masked = Buffer.from(bytes);
  for (let at = masked.indexOf(surrogateLead); at !== -1; at = masked.indexOf(surrogateLead, at + 1)) {
    // U+D800 to U+DFFF becomes a character of the private use area, which has three bytes as well.
    if ((masked[at + 1] ?? 0) >= 0xa0) masked[at] = privateLead;
  }
  if (!isUtf8(masked) || masked.equals(bytes)) return undefined;
  const units = Buffer.from(masked.toString('utf8'), 'utf16le');
  for (let at = 0, unit = 0; at < bytes.length; unit++) {
    const lead = bytes[at] ?? 0;
    if (lead !== masked[at]) units.writeUInt16LE(loneSurrogate, 2 * unit);
    if (lead >= 0xf0) unit++;
    at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  }
  return units.toString('utf16le');
}

const surrogateLead = 0xed;
const privateLead = 0xee;
const loneSurrogate = 0xd800;

type ByteOrder = 'little' | 'big';

function decodeUtf16(bytes: Buffer, order: ByteOrder): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  return (order === 'little' ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
}

function decodeUtf32(bytes: Buffer, order: ByteOrder): string | undefined {
  if (bytes.length % 4 !== 0) return undefined;
  let text = '';
  for (let at = 0; at < bytes.length; at += 4) {
    const code = order === 'little' ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
    if (code > 0x10ffff) return undefined;
    text += String.fromCodePoint(code);
  }
  return text;
}
