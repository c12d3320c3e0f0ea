import { isInCompound, partsOf } from './compound-words.ts';
import { prefixOf, type KeywordIndex, type QueryTerm } from './keyword-index.ts';
import { COMPOUND_PREFIXES } from './languages.ts';

interface Searched {
  readonly index: { readonly words: Pick<KeywordIndex, 'has' | 'compoundsOf'> };
  /** By slot what whoever asks may read; undefined: everything. */
  readonly readable: Uint8Array | undefined;
}

/** Most compounds that one word of a query stands for besides itself: of those that whoever asks may read, so that none that others have counts. */
const MAX_COMPOUNDS = 200;

/**
 * The words of a query with the compounds that they are part of. A word that no text has is taken apart, where texts have its
 * parts: `Urlaubsantrag` finds `Antrag auf Urlaub`.
 */
export function withCompounds(terms: readonly QueryTerm[], searched: readonly Searched[]): readonly QueryTerm[] {
  const isKnown = (form: string): boolean => searched.some(({ index, readable }) => index.words.has(form, readable));
  const compoundsOf = (term: QueryTerm): QueryTerm => {
    const forms = new Set(term);
    for (const form of term)
      for (const { index, readable } of searched)
        for (const compound of index.words.compoundsOf(form)) {
          if (forms.size >= MAX_COMPOUNDS) return [...forms];
          if (index.words.has(compound, readable)) forms.add(compound);
        }
    return [...forms];
  };
  return terms.flatMap((term) => {
    const whole = compoundsOf(term);
    if (whole.some(isKnown)) return [whole];
    for (const form of term) {
      const prefix = COMPOUND_PREFIXES.find((one) => form.startsWith(one));
      const parts = prefix && partsOf(form.slice(prefix.length), (part) => isKnown(prefix + part));
      if (parts) return parts.map((part) => compoundsOf([prefix + part]));
    }
    return [whole];
  });
}

/** Whether a term of a text is a compound with one of these words of a query; prepared once, as texts have many terms. */
export function compoundsWith(terms: readonly QueryTerm[]): (term: string) => boolean {
  const parts = new Map<string, string[]>(COMPOUND_PREFIXES.map((prefix) => [prefix, []]));
  for (const form of terms.flat()) parts.get(prefixOf(form))?.push(form.slice(prefixOf(form).length));
  return (term) => {
    const prefix = prefixOf(term);
    return parts.get(prefix)?.some((part) => isInCompound(part, term.slice(prefix.length))) ?? false;
  };
}
