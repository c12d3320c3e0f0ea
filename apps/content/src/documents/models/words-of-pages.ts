/** Of 100: a word below says rather what is no letter at all, such as a logo. */
const MIN_WORD_CONFIDENCE = 30;

/** Of 100, of all words that stay: below, a picture shows no text but something that looks a little like it. */
const MIN_PAGE_CONFIDENCE = 50;

interface Word {
  readonly line: string;
  readonly paragraph: string;
  readonly confidence: number;
  readonly text: string;
}

/** What tesseract has read with some certainty, of its table of words (TSV): lines as they stand, paragraphs apart. */
export function textOfWords(table: string): string {
  const words = table
    .split('\n')
    .map(wordOf)
    .filter((word) => word !== undefined)
    .filter(({ confidence }) => confidence >= MIN_WORD_CONFIDENCE);
  const certain = words.reduce((sum, { confidence, text }) => sum + confidence * text.length, 0);
  if (certain < MIN_PAGE_CONFIDENCE * words.reduce((sum, { text }) => sum + text.length, 0)) return '';
  let [text, before]: [string, Word | undefined] = ['', undefined];
  for (const word of words) {
    text += before ? `${between(before, word)}${word.text}` : word.text;
    before = word;
  }
  return text;
}

const between = (before: Word, word: Word): string => {
  if (before.line === word.line) return ' ';
  return before.paragraph === word.paragraph ? '\n' : '\n\n';
};

/** Its columns: level, page, block, paragraph, line, word, four of the box, confidence, text. Words are of level 5. */
function wordOf(row: string): Word | undefined {
  const columns = row.trimEnd().split('\t');
  const [level, , block, paragraph, line] = columns;
  const text = columns.slice(11).join(' ').trim();
  if (level !== '5' || text === '') return undefined;
  const inParagraph = `${block} ${paragraph}`;
  return { line: `${inParagraph} ${line}`, paragraph: inParagraph, confidence: Number(columns[10]), text };
}
