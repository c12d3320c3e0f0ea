import type { Citation } from '../../conversations/domain/citations.ts';

/** A place of an answer, in UTF-16 units, at which it stands on a source. */
export interface ChatAnnotation {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly citation: Citation;
}

/** The places of `[1]` and the like in the order of the text; what stands for no source is none. */
export function annotationsIn(text: string, citations: readonly Citation[]): readonly ChatAnnotation[] {
  const byNumber = new Map(citations.map((citation) => [citation.number, citation]));
  return [...text.matchAll(/\[(\d{1,3})\]/g)].flatMap(({ 0: found, 1: number, index: start }) => {
    const citation = byNumber.get(Number(number));
    return citation ? [{ text: found, start, end: start + found.length, citation }] : [];
  });
}
