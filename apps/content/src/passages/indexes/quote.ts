import type { Quote, Span } from '../domain/search.ts';
import type { QueryTerm } from './keyword-index.ts';
import { isPartOf } from './query-compounds.ts';
import { wordsOf, type Word } from './words.ts';

const MAX_QUOTE_LENGTH = 300;

const sentences = new Intl.Segmenter(undefined, { granularity: 'sentence' });

/**
 * The part of a passage that says most of what was asked for: whole sentences where they fit. `start` and `end` are where it
 * stands in the source of the passage, of which the passage has to be a word-for-word piece.
 */
export function quoteOf(
  passage: { readonly text: string; readonly start: number },
  terms: readonly QueryTerm[],
): Quote {
  const { text } = passage;
  const wanted = new Set(terms.flat());
  const isWanted = (term: string): boolean => wanted.has(term) || [...wanted].some((form) => isPartOf(form, term));
  const matches = [...wordsOf(text)].filter(({ term }) => isWanted(term));
  const { start, end } = trimmed(text, bestOf(windowsOf(text, matches), matches));
  return {
    text: text.slice(start, end),
    start: passage.start + start,
    end: passage.start + end,
    highlights: matches
      .filter((word) => isInside(word, { start, end }))
      .map((word) => ({ start: word.start - start, end: word.end - start })),
  };
}

/** Runs of sentences that fit, one from each sentence on; a sentence that does not fit gives a piece around each match. */
function windowsOf(text: string, matches: readonly Word[]): Span[] {
  const spans = [...sentences.segment(text)].map(({ index, segment }) => ({
    start: index,
    end: index + segment.length,
  }));
  return spans.flatMap((first, at) => {
    if (first.end - first.start > MAX_QUOTE_LENGTH) return piecesOf(text, first, matches);
    const following = spans.slice(at).filter(({ end }) => end - first.start <= MAX_QUOTE_LENGTH);
    return [{ start: first.start, end: following.at(-1)?.end ?? first.end }];
  });
}

function piecesOf(text: string, sentence: Span, matches: readonly Word[]): Span[] {
  const from = matches.filter((word) => isInside(word, sentence)).map((word) => word.start - MAX_QUOTE_LENGTH / 4);
  return [sentence.start, ...from].map((wanted) => {
    const start = wanted <= sentence.start ? sentence.start : boundaryFrom(text, Math.floor(wanted));
    const full = Math.min(sentence.end, start + MAX_QUOTE_LENGTH);
    return { start, end: full === sentence.end ? full : boundaryBefore(text, start, full) };
  });
}

function boundaryFrom(text: string, at: number): number {
  const space = text.slice(at, at + 40).search(/\s/);
  return space === -1 ? safely(text, at) : at + space + 1;
}

function boundaryBefore(text: string, start: number, at: number): number {
  const cut = text.slice(start, at);
  const space = cut.search(/\s\S*$/);
  return space > MAX_QUOTE_LENGTH / 2 ? start + space : safely(text, at);
}

/** Never between the two halves of a character. */
const safely = (text: string, at: number): number => (/[\uDC00-\uDFFF]/.test(text[at] ?? '') ? at + 1 : at);

/** The first of those with the most different words. */
function bestOf(windows: readonly Span[], matches: readonly Word[]): Span {
  let best: Span = windows[0] ?? { start: 0, end: 0 };
  let bestCount = 0;
  for (const window of windows) {
    const found = new Set(matches.filter((word) => isInside(word, window)).map(({ term }) => term)).size;
    if (found > bestCount) [best, bestCount] = [window, found];
  }
  return best;
}

function trimmed(text: string, { start, end }: Span): Span {
  const part = text.slice(start, end);
  const leading = part.length - part.trimStart().length;
  return { start: start + leading, end: start + Math.max(leading, part.trimEnd().length) };
}

const isInside = (inner: Span, outer: Span): boolean => inner.start >= outer.start && inner.end <= outer.end;
