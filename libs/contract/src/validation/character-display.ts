import { readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { pythonRepr } from './python-repr.ts';

/** A character as an error text may show it: quoted when it is visible, else by its Unicode name or number. */
export function displayCharacter(character: string): string {
  if (character === '\\') return '"\\"';
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)) return pythonRepr(character);
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16).toUpperCase();
  return nameOf(code) ?? `U+${hex.padStart(code < 0xffff ? 4 : 8, '0')}`;
}

let names: ReadonlyMap<number, string> | undefined;

/** Unpacks the names when the first one is needed: few addresses ever need one. */
function nameOf(code: number): string | undefined {
  names ??= readNames();
  return names.get(code);
}

function readNames(): ReadonlyMap<number, string> {
  const compressed = readFileSync(path.join(import.meta.dirname, '../generated/character-names.br'));
  const lines = brotliDecompressSync(compressed).toString().split('\n');
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(' ');
      return [parseInt(line.slice(0, space), 16), line.slice(space + 1)];
    }),
  );
}
