import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES } from './languages.ts';

let known: string | undefined;

/**
 * Names what a snapshot depends on besides the texts: this folder's code, what languages do to their words, and the letters that Node
 * knows. Another version that could read a snapshot otherwise, or would have made another one, has another name.
 */
export function madeBy(): string {
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  const sources = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  for (const name of sources.toSorted()) hash.update(readFileSync(join(import.meta.dirname, name)));
  const stems = LANGUAGES.map(({ prefix, stem, stopWords }) => [
    prefix,
    [...stopWords].map((word) => [word, stem(word)]),
  ]);
  const { unicode, icu } = process.versions;
  hash.update(JSON.stringify([stems, unicode, icu]));
  known = hash.digest('base64url');
  return known;
}
