import { FloatNumber, type InputValue } from './input-value.ts';
import { pythonFloat } from './python-text.ts';

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
