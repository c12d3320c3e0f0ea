import { FloatNumber, type InputValue } from './input-value.ts';

/** Sorts like Python: by code points, where JavaScript compares UTF-16 units. */
export function byCodePoints(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  for (let at = 0; at < left.length && at < right.length; at++) {
    const difference = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** How many code points the text has; a surrogate pair counts once. */
export function codePointLength(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) !== 0xd800) continue;
    if ((text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      length--;
      at++;
    }
  }
  return length;
}

const pythonSpaces = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const outerSpaces = new RegExp(`^${pythonSpaces}+|${pythonSpaces}+$`, 'gu');
const spacesAtEnd = new RegExp(`${pythonSpaces}+$`, 'u');

/** The characters of `str.isspace()`, as a class for a regular expression. */
export const pythonSpaceClass = pythonSpaces;

/** `str.strip()` */
export function pythonStrip(text: string): string {
  return text.replace(outerSpaces, '');
}

/** `str.rstrip()` */
export function pythonStripEnd(text: string): string {
  return text.replace(spacesAtEnd, '');
}

/** A float as Python's `repr` and `json.dumps` write it: 100000.0, 1e+16, 5e-324. */
export function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  const [digits = '', exponentText] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${digits}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  const plain = exponent < 0 ? fixedBelowOne(digits, exponent) : String(value);
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** JavaScript changes to exponents at 1e-7, Python at 1e-5. */
function fixedBelowOne(digits: string, exponent: number): string {
  const sign = digits.startsWith('-') ? '-' : '';
  return `${sign}0.${'0'.repeat(-exponent - 1)}${digits.replace(/[-.]/g, '')}`;
}

const unprintable = /^[\p{C}\p{Z}]$/u;

/** `repr()` of a value that came from JSON. */
export function pythonRepr(value: InputValue): string {
  if (value === null) return 'None';
  if (typeof value === 'string') return reprOfText(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value instanceof FloatNumber) return pythonFloat(value.value);
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`;
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, item]) => `${reprOfText(key)}: ${pythonRepr(item)}`)
      .join(', ')}}`;
  }
  return String(value);
}

function reprOfText(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  let shown = quote;
  for (const character of text) shown += reprOfCharacter(character, quote);
  return shown + quote;
}

const namedEscapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function reprOfCharacter(character: string, quote: string): string {
  if (character === quote) return `\\${quote}`;
  if (Object.hasOwn(namedEscapes, character)) return namedEscapes[character] ?? character;
  if (character === ' ' || !unprintable.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
