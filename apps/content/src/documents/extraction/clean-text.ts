/**
 * A text as it is stored and cut: with line feeds alone, without what cannot be seen or stored, and without endless runs of
 * spaces and empty lines.
 */
export const cleanText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\r\n?|[\u0085\u2028\u2029\v\f]/g, '\n')
    .replaceAll(/(?![\n\t])\p{Cc}|[\u00ad\u200b\u2060\ufeff]/gu, '')
    .replaceAll(/[^\S\n\t]{9,}/g, '        ')
    .replaceAll(/\t{9,}/g, '\t')
    // From the beginning of each run: within it, all of the rest would be looked at once more for each character.
    .replaceAll(/(?<![^\S\n])[^\S\n]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

/** On one line. */
export const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** At most so many characters; a longer text ends after a word, with an ellipsis. */
export function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const cut = text
    .slice(0, length - 1)
    .toWellFormed()
    .replace(/\ufffd$/, '');
  const lastSpace = cut.lastIndexOf(' ');
  return `${(lastSpace > length / 2 ? cut.slice(0, lastSpace) : cut).trimEnd()}…`;
}
