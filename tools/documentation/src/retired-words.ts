import { declaredNames } from '@platform-backend/boundaries/declared-names';

/** Whether a name, or a word in it, is retired. */
export type IsRetired = (name: string) => boolean;

/**
 * What a table of the glossary retires: of its first column `Wanted*` stands for all names that begin so, and `~door` for all
 * that have the word in them, also as one of several: `FileDoor`, `doorOf`, `DOORS`.
 */
export function retiredWords(glossary: string): IsRetired[] {
  const table = glossary.split('## Words that are not used')[1] ?? '';
  return [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(~?)([\w*]+)`/g)].map(([, isWord, word = '']) => (isWord ? hasWord(word) : isLike(word))),
  );
}

function isLike(word: string): IsRetired {
  const pattern = new RegExp(`^${word.replaceAll('*', '\\w*')}$`);
  return (name) => pattern.test(name);
}

const hasWord =
  (word: string): IsRetired =>
  (name) =>
    wordsOf(name).some((one) => one === word || one === `${word}s`);

/** `isHopelessEvent2`, `IS_HOPELESS`: is, hopeless, event. */
const wordsOf = (name: string): string[] =>
  [...name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)].map(([word]) => word.toLowerCase());

/** What a file of TypeScript or JavaScript gives a name that is retired. */
export function retiredNamesIn(path: string, text: string, retired: readonly IsRetired[]): string[] {
  const isRetired = (name: string): boolean => retired.some((one) => one(name));
  // Few files say one of them at all, and only those are parsed.
  if (!text.match(/\w+/g)?.some(isRetired)) return [];
  return [...new Set(declaredNames(path, text).filter(isRetired))];
}
