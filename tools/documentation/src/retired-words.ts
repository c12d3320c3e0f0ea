/** Names that a table of the glossary retires: `Wanted*` in its first column stands for all that begin so. */
export function retiredWords(glossary: string): RegExp[] {
  const table = glossary.split('## Words that are not used')[1] ?? '';
  return [...table.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([\w*]+)`/g)].map(([, word = '']) => new RegExp(`^${word.replaceAll('*', '\\w*')}$`)),
  );
}

const DECLARATION = /\b(?:const|let|function\*?|class|interface|type|enum|readonly)\s+(\w+)/g;

/** What a file of TypeScript or JavaScript declares under a name that is retired. */
export const retiredNamesIn = (text: string, retired: readonly RegExp[]): string[] =>
  [...text.matchAll(DECLARATION)]
    .map(([, name = '']) => name)
    .filter((name) => retired.some((pattern) => pattern.test(name)));
