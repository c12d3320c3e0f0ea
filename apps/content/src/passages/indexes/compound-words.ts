/** What is shorter is in too many words by chance, as a part and as what is left of the whole. */
const MIN_PART = 4;

/** Whether a word is longer than this part of it, with which it begins or ends. */
export const isInCompound = (part: string, word: string): boolean =>
  part.length >= MIN_PART && word.length >= part.length + MIN_PART && (word.startsWith(part) || word.endsWith(part));

/** So many words come unsorted before all are sorted anew, at least. */
const MIN_UNSORTED = 1_000;

/**
 * The words of a language that writes compounds as one word, without their endings, looked up by their parts: `antrag` is in
 * `urlaubsantrag` and `antragsfrist`. It knows no list of words but those that texts have.
 */
export class CompoundWords {
  #sorted: string[] = [];
  #backwards: string[] = [];
  #unsorted: string[] = [];

  /** Each word once. */
  add(word: string): void {
    if (word.length < 2 * MIN_PART) return;
    this.#unsorted.push(word);
  }

  clear(): void {
    [this.#sorted, this.#backwards, this.#unsorted] = [[], [], []];
  }

  /** Those that begin or end with this part, without the part itself. */
  *with(part: string): Generator<string> {
    if (part.length < MIN_PART) return;
    if (this.#unsorted.length > Math.max(MIN_UNSORTED, this.#sorted.length / 8)) this.#sort();
    for (const word of this.#unsorted) if (isInCompound(part, word)) yield word;
    for (const word of beginningWith(this.#sorted, part)) if (isInCompound(part, word)) yield word;
    for (const reversed of beginningWith(this.#backwards, backwards(part))) {
      const word = backwards(reversed);
      // Those that begin with it as well have been told.
      if (isInCompound(part, word) && !word.startsWith(part)) yield word;
    }
  }

  #sort(): void {
    this.#sorted = [...this.#sorted, ...this.#unsorted].sort();
    this.#backwards = this.#sorted.map(backwards).sort();
    this.#unsorted = [];
  }
}

/** Between two parts of a compound, none being the most frequent. */
const LINKS = ['', 's', 'es', 'n', 'en', 'er', 'e'];

/** The parts of a compound, of which both are known: the longest last one, which says what it is. */
export function partsOf(word: string, isKnown: (part: string) => boolean): readonly [string, string] | undefined {
  for (let at = MIN_PART; at <= word.length - MIN_PART; at += 1) {
    const last = word.slice(at);
    if (!isKnown(last)) continue;
    const before = word.slice(0, at);
    const ends = LINKS.filter((link) => before.endsWith(link) && before.length - link.length >= MIN_PART);
    const first = ends.map((link) => before.slice(0, before.length - link.length)).find(isKnown);
    if (first !== undefined) return [first, last];
  }
  return undefined;
}

const backwards = (word: string): string => Array.from(word).reverse().join('');

function* beginningWith(sorted: readonly string[], prefix: string): Generator<string> {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? '') < prefix) from = middle + 1;
    else to = middle;
  }
  for (let at = from; sorted[at]?.startsWith(prefix); at += 1) yield sorted[at] ?? '';
}
