import { combinedStatistics } from './keyword-index.ts';
import { mergeScores } from './merge-scores.ts';
import type { Candidates, Found, IndexQuery, OrganisationIndex } from './organisation-index.ts';
import { queryTerms } from './words.ts';

interface Scored {
  /** Among the candidates. */
  readonly at: number;
  readonly score: number;
}

/** Of the terms of a question a text that is about it has half, and two: one of several words may be there by chance. */
const sharesEnough = (shared: number, terms: number): boolean => shared >= Math.min(2, terms) && 2 * shared >= terms;

/** What a query finds in these indexes of an organisation, as if they were one: best first. */
export function searchIndexes(indexes: readonly OrganisationIndex[], query: IndexQuery): Found[] {
  const { text, mode, vector, similarityThreshold = -1, limit } = query;
  const terms = mode === 'semantic' ? [] : queryTerms(text);
  const byMeaning = mode === 'keyword' ? undefined : vector;
  const statistics = combinedStatistics(
    indexes.map((index) => index.statistics(terms)),
    terms,
  );
  const parts = indexes.map((index) => index.candidates(query, { terms, statistics, vector: byMeaning }));
  const candidates = joined(parts);
  const passageAt = (at: number) => {
    let before = 0;
    for (const [part, { slots }] of parts.entries()) {
      if (at < before + slots.length) return indexes[part]?.passageIn(slots[at - before] ?? -1);
      before += slots.length;
    }
    return undefined;
  };
  const best = bestOf(scored(candidates, mode === 'hybrid', byMeaning !== undefined), limit);
  const bestScore = best[0]?.score || 1;
  return best.flatMap(({ at, score }) => {
    const passage = passageAt(at);
    if (!passage) return [];
    const meansIt = candidates.hasVector[at] === 1 && (candidates.cosines[at] ?? 0) >= similarityThreshold;
    const isRelevant = meansIt || (terms.length > 0 && sharesEnough(candidates.shared[at] ?? 0, terms.length));
    return [{ ...passage, score: Math.max(0, score / bestScore), isRelevant }];
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

function* scored(candidates: Joined, isHybrid: boolean, hasMeaning: boolean): Generator<Scored> {
  const { scores, coverage, cosines, hasVector } = candidates;
  if (!hasMeaning) {
    for (const [at, score] of scores.entries()) if (score) yield { at, score };
    return;
  }
  const merged = isHybrid ? mergeScores(candidates) : undefined;
  for (const [at, cosine] of cosines.entries())
    if (hasVector[at] || (merged && coverage[at])) yield { at, score: merged?.[at] ?? cosine };
}

/** The `limit` best, best first; of equals, the first. */
function bestOf(scored: Iterable<Scored>, limit: number): Scored[] {
  const best: Scored[] = [];
  for (const one of scored) {
    const last = best.at(-1);
    if (best.length >= limit && last && one.score <= last.score) continue;
    if (best.length >= limit) best.pop();
    const at = best.findLastIndex(({ score }) => score >= one.score);
    best.splice(at + 1, 0, one);
  }
  return best;
}
