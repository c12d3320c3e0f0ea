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
