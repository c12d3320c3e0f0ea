import { combinedStatistics, type TermStatistics } from './keyword-index.ts';
import { mergeScores, type Spread } from './merge-scores.ts';
import type { Candidates, Found, IndexQuery, OrganisationIndex, SearchedWhole } from './organisation-index.ts';
import { withCompounds } from './query-compounds.ts';
import { queryTerms } from './words.ts';

interface Scored {
  /** Among the candidates. */
  readonly at: number;
  readonly score: number;
}

/** How many of one group are among the best, at most. */
interface Grouping {
  readonly groupOf: (at: number) => unknown;
  readonly max: number;
}

/** Of the terms of a question a text that is about it has half, and two: one of several words may be there by chance. */
const sharesEnough = (shared: number, terms: number): boolean => shared >= Math.min(2, terms) && 2 * shared >= terms;

const sourceIn = (index: OrganisationIndex, slot: number) => index.sourceIn(slot);
const passageIn = (index: OrganisationIndex, slot: number) => index.passageIn(slot);

/** What a query finds in these indexes of an organisation, as if they were one: best first. */
export function searchIndexes(indexes: readonly OrganisationIndex[], query: IndexQuery): Found[] {
  const { text, mode, vector, similarityThreshold = -1, meaningWeighs, limit, maxPerSource, relevantOnly } = query;
  const searched = indexes.map((index) => ({ index, readable: index.readableBy(query) }));
  const asked = mode === 'semantic' ? [] : queryTerms(text);
  // What was counted elsewhere is of each word as it was asked for.
  const terms = query.whole ? asked : withCompounds(asked, searched);
  const byMeaning = mode === 'keyword' ? undefined : vector;
  const own = combinedStatistics(
    searched.map(({ index, readable }) => index.statistics(terms, readable)),
    terms,
  );
  const statistics = query.whole ? statisticsOf(query.whole, own) : own;
  const parts = indexes.map((index) => index.candidates(query, { terms, statistics, vector: byMeaning }));
  const candidates = joined(parts);
  const inSlotOf = <T>(at: number, look: (index: OrganisationIndex, slot: number) => T): T | undefined => {
    let before = 0;
    for (const [part, { slots }] of parts.entries()) {
      const index = indexes[part];
      if (index && at < before + slots.length) return look(index, slots[at - before] ?? -1);
      before += slots.length;
    }
    return undefined;
  };
  const isRelevant = (at: number): boolean =>
    (candidates.hasVector[at] === 1 && (candidates.cosines[at] ?? 0) >= similarityThreshold) ||
    (terms.length > 0 && sharesEnough(candidates.shared[at] ?? 0, terms.length));
  const every = scored(candidates, {
    ...{ isHybrid: mode === 'hybrid', hasMeaning: byMeaning !== undefined },
    ...{ spread: query.whole?.spread, meaningWeighs },
  });
  const wanted = relevantOnly ? those(every, isRelevant) : every;
  const best =
    maxPerSource === undefined
      ? bestOf(wanted, limit)
      : bestOfGroups(wanted, limit, { groupOf: (at) => inSlotOf(at, sourceIn), max: maxPerSource });
  const bestScore = best[0]?.score || 1;
  return best.flatMap(({ at, score }) => {
    const passage = inSlotOf(at, passageIn);
    return passage ? [{ ...passage, score: Math.max(0, score / bestScore), isRelevant: isRelevant(at) }] : [];
  });
}

type Joined = Omit<Candidates, 'slots'>;

function joined(parts: readonly Candidates[]): Joined {
  const [first] = parts;
  if (first && parts.length === 1) return first;
  const length = parts.reduce((sum, { slots }) => sum + slots.length, 0);
  const all: Joined = {
    scores: new Float32Array(length),
    coverage: new Float32Array(length),
    shared: new Uint16Array(length),
    cosines: new Float32Array(length),
    hasVector: new Uint8Array(length),
  };
  let offset = 0;
  for (const part of parts) {
    all.scores.set(part.scores, offset);
    all.coverage.set(part.coverage, offset);
    all.shared.set(part.shared, offset);
    all.cosines.set(part.cosines, offset);
    all.hasVector.set(part.hasVector, offset);
    offset += part.slots.length;
  }
  return all;
}

/** Texts are as long as those that are there. What was not counted is as frequent as among these. */
function statisticsOf({ texts, found }: SearchedWhole, own: TermStatistics): TermStatistics {
  const times = Math.max(1, texts / Math.max(1, own.texts));
  return {
    texts: Math.max(texts, own.texts),
    words: own.words * times,
    found: own.found.map((count, at) => Math.max(count, found[at] ?? count * times)),
  };
}

interface Weighing {
  readonly isHybrid: boolean;
  readonly hasMeaning: boolean;
  readonly spread: Spread | undefined;
  readonly meaningWeighs: number | undefined;
}

function* scored(candidates: Joined, { isHybrid, hasMeaning, spread, meaningWeighs }: Weighing): Generator<Scored> {
  const { scores, coverage, cosines, hasVector } = candidates;
  if (!hasMeaning) {
    for (const [at, score] of scores.entries()) if (score) yield { at, score };
    return;
  }
  const merged = isHybrid ? mergeScores(candidates, { spread, meaningWeighs }) : undefined;
  for (const [at, cosine] of cosines.entries())
    if (hasVector[at] || (merged && coverage[at])) yield { at, score: merged?.[at] ?? cosine };
}

function* those(scored: Iterable<Scored>, isWanted: (at: number) => boolean): Generator<Scored> {
  for (const one of scored) if (isWanted(one.at)) yield one;
}

/** The `limit` best, best first; of equals, the first. */
function bestOf(scored: Iterable<Scored>, limit: number): Scored[] {
  const best: Scored[] = [];
  for (const one of scored) keepBest(best, one, limit);
  return best;
}

/** As `bestOf`, with so many of one group at most. */
function bestOfGroups(scored: Iterable<Scored>, limit: number, { groupOf, max }: Grouping): Scored[] {
  const groups = new Map<unknown, Scored[]>();
  for (const one of scored) {
    const group = groupOf(one.at);
    const best = groups.get(group) ?? [];
    if (best.length === 0) groups.set(group, best);
    keepBest(best, one, max);
  }
  return bestOf([...groups.values()].flat(), limit);
}

function keepBest(best: Scored[], one: Scored, limit: number): void {
  const last = best.at(-1);
  if (best.length >= limit && last && one.score <= last.score) return;
  if (best.length >= limit) best.pop();
  const at = best.findLastIndex(({ score }) => score >= one.score);
  best.splice(at + 1, 0, one);
}
