import { isUtf8 } from 'node:buffer';

/**
 * UTF-8 as a string with one character per byte, as `latin1` has it in Node. It joins the head of an answer in one write, its
 * length is that of its bytes, and pieces of a message that are text already are taken over without being decoded.
 */
export type ByteText = string;

export const byteText = (text: string): ByteText =>
  isAscii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');

/** The text that the bytes stand for. */
export const textOf = (bytes: ByteText): string =>
  isAscii.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8');

const isAscii = /^[\0-\x7f]*$/;

/** What JSON shows as it is, of ASCII. */
const isPlain = /^[ !#-[\]-~]*$/;
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const needsEscape = /["\\\0-\x1f]/;

/** The UTF-8 that stands at `start` of these bytes, as a JSON string. `raw` is the same bytes. */
export function quoted(raw: ByteText, bytes: Buffer, start: number): ByteText {
  if (isPlain.test(raw)) return `"${raw}"`;
  const part = bytes.subarray(start, start + raw.length);
  if (!needsEscape.test(raw) && isUtf8(part)) return `"${raw}"`;
  return byteText(JSON.stringify(part.toString('utf8')));
}

export const numberJson = (value: number): ByteText => (Number.isFinite(value) ? String(value) : 'null');

/** In the order that objects of JavaScript have. */
export function mapJson(items: Readonly<Record<string, ByteText>> | undefined): ByteText {
  if (items === undefined) return '{}';
  return `{${Object.entries(items)
    .map(([key, value]) => `${byteText(JSON.stringify(key))}:${value}`)
    .join(',')}}`;
}
