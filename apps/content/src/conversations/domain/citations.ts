import type { Hit } from '../../passages/domain/search.ts';

/** What an answer stands on: a place in a source, and its words there. */
export interface Citation {
  /** `[1]` in the text of the answer. */
  readonly number: number;
  readonly kind: Hit['kind'];
  readonly id: string;
  readonly title: string;
  readonly page?: number;
  readonly quote: string;
  /** Where the quote stands in the text of the source, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** The sources that an assistant was shown in one turn, by numbers that stay the same. */
export interface CitedSources {
  /** The number of a passage, a new one where it was not shown before. */
  readonly numberOf: (hit: Hit) => number;
  /** Those to which the text refers. */
  readonly citedIn: (text: string) => readonly Citation[];
}

export function citedSources(): CitedSources {
  const shown = new Map<string, Citation>();
  return {
    numberOf(hit) {
      const { kind, id, title, page, quote } = hit;
      const key = `${kind}/${id}/${String(hit.ordinal)}`;
      const known = shown.get(key);
      if (known) return known.number;
      const citation: Citation = {
        ...{ number: shown.size + 1, kind, id, title },
        ...(page !== undefined && { page }),
        ...{ quote: quote.text, start: quote.start, end: quote.end },
      };
      shown.set(key, citation);
      return citation.number;
    },
    citedIn(text) {
      const numbers = new Set([...text.matchAll(/\[(\d{1,3})\]/g)].map(([, number]) => Number(number)));
      return [...shown.values()].filter(({ number }) => numbers.has(number));
    },
  };
}
