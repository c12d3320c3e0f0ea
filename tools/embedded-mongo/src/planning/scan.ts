import type { Matcher } from '../query/matcher.ts';
import type { Collection } from '../storage/catalogue.ts';
import type { KeyRange, StoredDocument, View } from '../storage/view.ts';
import type { IndexPlan, Plan } from './planner.ts';

/** Documents read at once: few at first, as one may be enough. */
const FIRST = 24;
const MAX_BATCH = 384;

/** The documents that match, part by part as they were read. Each part is as of one moment, as in MongoDB. */
export async function* scan(
  view: View,
  collection: Collection,
  plan: Plan,
  matcher: Matcher,
  pause: () => Promise<void>,
): AsyncGenerator<StoredDocument[]> {
  const seen = isRepeating(plan) ? new Set<number>() : undefined;
  for (const part of partsOf(view, collection, plan)) {
    const found = part.filter((document) => {
      if (!matcher.test(document.fields)) return false;
      if (seen?.has(document.record)) return false;
      seen?.add(document.record);
      return true;
    });
    if (found.length > 0) yield found;
    await pause();
  }
}

/** Documents with arrays have several entries in an index. */
const isRepeating = (plan: Plan): boolean =>
  plan.kind === 'union' || (plan.kind === 'index' && plan.index.multi.includes(true));

function* partsOf(view: View, collection: Collection, plan: Plan): Generator<StoredDocument[]> {
  if (plan.kind === 'collection') yield* documentsOf(view, collection, plan.backwards);
  else for (const one of plan.kind === 'union' ? plan.plans : [plan]) yield* entriesOf(view, collection, one);
}

function* documentsOf(view: View, collection: Collection, backwards: boolean): Generator<StoredDocument[]> {
  let after: number | undefined;
  for (let limit = FIRST; ; limit = Math.min(limit * 2, MAX_BATCH)) {
    const documents = view.documents(collection, after, limit, backwards);
    yield documents;
    after = documents.at(-1)?.record;
    if (documents.length < limit) return;
  }
}

const ZERO = Buffer.alloc(1);

function* entriesOf(
  view: View,
  collection: Collection,
  { index, ranges, backwards }: IndexPlan,
): Generator<StoredDocument[]> {
  let limit = FIRST;
  let gathered: StoredDocument[] = [];
  for (const range of backwards ? ranges.toReversed() : ranges) {
    let rest: KeyRange | undefined = range;
    while (rest) {
      const entries = view.entries(collection, index, rest, limit, backwards);
      gathered.push(...entries.map(({ document }) => document));
      const last = entries.at(-1)?.key;
      if (!last || entries.length < limit) rest = undefined;
      else rest = backwards ? { from: rest.from, to: last } : { from: Buffer.concat([last, ZERO]), to: rest.to };
      if (gathered.length < limit) continue;
      yield gathered;
      gathered = [];
      limit = Math.min(limit * 2, MAX_BATCH);
    }
  }
  yield gathered;
}
