import { oneLine, shortened } from './clean-text.ts';
import type { DocumentText, TableOutline } from './document-text.ts';

export interface Description {
  /** At most 300 characters. */
  readonly short: string;
  /** At most 2,000 characters. */
  readonly detailed: string;
}

/**
 * What a document is about, in its own words: its title, and the sentences that have most in common with all others.
 * Tables are told by their columns. Nothing is written that is not there.
 */
export function describe(text: string, { title, headings = [], tables = [] }: DocumentText): Description {
  const named = title === undefined ? '' : oneLine(title);
  const outlines = tables.map(outlineOf).filter((outline) => outline !== '');
  const said = outlines.length > 0 ? [] : mainSentences(text, named);
  const beginning = text.startsWith(named) ? text.slice(named.length, named.length + 600) : text.slice(0, 600);
  const short = [named, outlines[0] ?? said[0]?.text ?? beginning];
  const sections = [...new Set(headings.map(oneLine))].filter((heading) => heading !== '' && heading !== named);
  const detailed = [
    named,
    ...outlines.slice(0, 20),
    said
      .toSorted((one, other) => one.index - other.index)
      .map((sentence) => sentence.text)
      .join(' '),
    sections.length > 1 ? `Sections: ${sections.slice(0, 30).join('; ')}` : '',
  ].filter((part) => part !== '');
  return {
    short: shortened(joined(short), 300),
    detailed: shortened(detailed.length > 1 ? detailed.map(ended).join('\n') : joined(short), 2_000),
  };
}

const joined = (parts: readonly string[]): string =>
  parts
    .map(oneLine)
    .filter((part) => part !== '')
    .map((part, index, all) => (index < all.length - 1 ? ended(part) : part))
    .join(' ');

const ended = (sentence: string): string => (/[\p{P}]$/u.test(sentence) ? sentence : `${sentence}.`);

function outlineOf({ name, columns, rows }: TableOutline): string {
  if (columns.length === 0) return '';
  const shown = columns.slice(0, 20).map((column) => shortened(oneLine(column), 60));
  const more = columns.length > shown.length ? ` and ${columns.length - shown.length} more` : '';
  const counted = `${rows} ${rows === 1 ? 'row' : 'rows'} with the columns ${shown.join(', ')}${more}`;
  return name === undefined ? counted : `${oneLine(name)}: ${counted}`;
}

interface Sentence {
  readonly index: number;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** How much of a long text is looked at. */
const readLength = 200_000;
const wanted = 6;

/** The best first. */
function mainSentences(text: string, title: string): Sentence[] {
  const sentences = sentencesOf(text.slice(0, readLength), title);
  const occurrences = new Map<string, number>();
  for (const { words } of sentences) {
    for (const word of words) occurrences.set(word, (occurrences.get(word) ?? 0) + 1);
  }
  // What stands in every second sentence says nothing about this document: "with", "that".
  const common = Math.max(4, sentences.length / 3);
  const weight = (word: string): number => {
    const times = occurrences.get(word) ?? 0;
    return times > common ? 0 : Math.log2(1 + times) - 0.9;
  };
  const scored = sentences.map((sentence) => {
    let sum = 0;
    for (const word of sentence.words) sum += weight(word);
    const early = sentence.index === 0 ? 1.5 : 1 + 0.3 / (1 + sentence.index / 10);
    return { sentence, score: (sum / Math.sqrt(sentence.words.size + 4)) * early };
  });
  const chosen: Sentence[] = [];
  for (const { sentence } of scored.toSorted((one, other) => other.score - one.score)) {
    if (chosen.length === wanted) break;
    if (chosen.every((other) => inCommon(sentence, other) < 0.5)) chosen.push(sentence);
  }
  return chosen;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

function sentencesOf(text: string, title: string): Sentence[] {
  const sentences: Sentence[] = [];
  for (const paragraph of text.split('\n\n')) {
    for (const { segment } of segmenter.segment(oneLine(paragraph))) {
      const sentence = segment.trim();
      if (sentence === title || !isProse(sentence)) continue;
      const words = new Set(sentence.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu));
      sentences.push({ index: sentences.length, text: sentence, words });
    }
  }
  return sentences;
}

/** Neither a heading nor a row of numbers. */
function isProse(sentence: string): boolean {
  if (sentence.length < 25 || sentence.length > 400) return false;
  const letters = sentence.match(/\p{L}/gu)?.length ?? 0;
  return letters > sentence.length * 0.6 && /[.!?。！？:]["'”’)\]]*$/u.test(sentence);
}

function inCommon(one: Sentence, other: Sentence): number {
  let shared = 0;
  for (const word of one.words) if (other.words.has(word)) shared += 1;
  return shared / Math.max(1, Math.min(one.words.size, other.words.size));
}
