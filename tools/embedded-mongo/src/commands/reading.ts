import { compileFindProjection, compileMatch, type Variables } from '../aggregation/document-stages.ts';
import { sorted } from '../aggregation/sorting.ts';
import { encode } from '../bson/codec.ts';
import type { Document, Value } from '../bson/values.ts';
import { explainPlan } from '../planning/explain.ts';
import { planOf, type Plan } from '../planning/planner.ts';
import { scan } from '../planning/scan.ts';
import type { Matcher } from '../query/matcher.ts';
import { sortParts, type KeyPart } from '../query/sort-keys.ts';
import type { Context } from '../server/command.ts';
import type { Collection } from '../storage/catalogue.ts';
import { StoredDocument } from '../storage/view.ts';

/** What is asked of one collection. */
export interface Query {
  readonly filter: Document;
  readonly matcher: Matcher;
  readonly sort: readonly KeyPart[];
  readonly hint?: Value | undefined;
  readonly skip: number;
  /** Zero for all. */
  readonly limit: number;
}

export const queryOf = (
  filter: Document,
  {
    sort = new Map(),
    hint,
    skip = 0,
    limit = 0,
    variables,
  }: { sort?: Document; hint?: Value | undefined; skip?: number; limit?: number; variables?: Variables } = {},
): Query => {
  const natural = sort.get('$natural');
  return {
    filter,
    matcher: compileMatch(filter, variables),
    sort: natural === undefined ? sortParts(sort) : [],
    hint: natural === undefined ? hint : sort,
    skip,
    limit,
  };
};

export const planFor = (collection: Collection | undefined, query: Query): Plan | undefined =>
  collection && planOf(collection, query);

export const explained = (collection: Collection | undefined, query: Query): Document =>
  explainPlan({ plan: planFor(collection, query), ...query });

/** The documents of a query, in its order and within its bounds. */
export async function* read(
  context: Pick<Context, 'view' | 'pace'>,
  collection: Collection | undefined,
  query: Query,
): AsyncGenerator<StoredDocument[]> {
  const plan = planFor(collection, query);
  if (!plan || !collection) return;
  const { view, pace } = context;
  const found = scan(view, collection, plan, query.matcher, pace.pause);
  const ordered = plan.isSorted ? found : inOrder(found, query, pace.pause);
  let skip = query.skip;
  let left = query.limit > 0 ? query.limit : Infinity;
  for await (const part of ordered) {
    const kept = part.slice(skip, skip + left);
    skip = Math.max(0, skip - part.length);
    left -= kept.length;
    if (kept.length > 0) yield kept;
    if (left <= 0) return;
  }
}

/** By their fields, of which each knows its document. */
async function* inOrder(
  found: AsyncGenerator<StoredDocument[]>,
  { sort, skip, limit }: Query,
  pause: () => Promise<void>,
): AsyncGenerator<StoredDocument[]> {
  const owners = new WeakMap<Document, StoredDocument>();
  async function* fields(): AsyncGenerator<Document[]> {
    for await (const part of found)
      yield part.map((stored) => {
        owners.set(stored.fields, stored);
        return stored.fields;
      });
  }
  for await (const part of sorted(fields(), sort, limit > 0 ? skip + limit : undefined, pause))
    yield part.flatMap((document) => owners.get(document) ?? []);
}

/** As bytes, by a projection where there is one. */
export async function* asBytes(
  found: AsyncGenerator<StoredDocument[]>,
  projection: Document,
): AsyncGenerator<Buffer[]> {
  const project = projection.size > 0 ? compileFindProjection(projection) : undefined;
  for await (const part of found) yield part.map((stored) => (project ? encode(project(stored.fields)) : stored.bytes));
}
