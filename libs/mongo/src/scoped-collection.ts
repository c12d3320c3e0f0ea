import { callHasChanged, requireCaller } from '@platform-backend/core';
import type { mongo } from 'mongoose';
import { isDuplicate } from './failures.ts';
import { areLimitsLifted, type Limit } from './limits.ts';
import { presentScope, type Scope } from './scope.ts';

type Fields = Record<string, unknown>;
type Arguments = unknown[];

/** The field of every document that says whose it is. */
export const ORGANISATION = 'organisationId';

/** What documents have to be for the present work: of one organisation, and within a limit where there is one. */
interface Bounds {
  readonly organisationId: string;
  readonly limit: Limit['filter'] | undefined;
}

/** Makes of an argument what it may be within bounds, or refuses it. */
type Keep = (given: unknown, bounds: Bounds) => unknown;

/** How an operation is kept to one organisation. */
interface Rule {
  /** For each argument; behind them come the options. */
  readonly keep: readonly Keep[];
  /** The server may be told to end it. */
  readonly reads?: true;
  /** Whether it takes documents away whole, with events that may still be in them. */
  readonly removes?: (given: Arguments) => boolean;
}

const asItIs: Keep = (given) => given;
const each =
  (keep: Keep): Keep =>
  (given, bounds) =>
    listOf(given).map((one) => keep(one, bounds));

const read: Rule = { keep: [withinBounds], reads: true };
const update: Rule = { keep: [withinBounds, keptIn] };
const remove: Rule = { keep: [withinBounds], removes: () => true };
const replace: Rule = { keep: [withinBounds, owned], removes: () => true };

/**
 * What the driver offers, operation by operation. What is not here is refused, unless the work is across organisations:
 * so is whatever a later version of the driver brings.
 */
export const rules: Readonly<Record<string, Rule>> = {
  find: read,
  findOne: read,
  countDocuments: read,
  distinct: { keep: [asItIs, withinBounds], reads: true },
  aggregate: { keep: [keptPipeline], reads: true },
  insertOne: { keep: [owned] },
  insertMany: { keep: [each(owned)] },
  updateOne: update,
  updateMany: update,
  findOneAndUpdate: update,
  replaceOne: replace,
  findOneAndReplace: replace,
  deleteOne: remove,
  deleteMany: remove,
  findOneAndDelete: remove,
  bulkWrite: {
    keep: [each(keptWrite)],
    removes: ([writes]) => listOf(writes).some((write) => writesOf(write).some(([name]) => rules[name]?.removes)),
  },
};

/** How the arguments of an operation are called in a bulk. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  insertOne: ['document'],
  updateOne: ['filter', 'update'],
  updateMany: ['filter', 'update'],
  replaceOne: ['filter', 'replacement'],
  deleteOne: ['filter'],
  deleteMany: ['filter'],
};

export interface Guarding {
  /** Names of all collections whose documents hold events that were not published yet. */
  readonly withEvents: ReadonlySet<string>;
  /** The server ends a read that takes longer. */
  readonly readLimitMs: number;
}

/**
 * Puts the guard in front of every operation of a collection. mongoose does all its work through this object, so there
 * is no way around it by another method of a model.
 */
export function guardCollection(
  collection: object,
  name: string,
  operations: readonly string[],
  { withEvents, readLimitMs }: Guarding,
): void {
  for (const operation of operations) {
    const unguarded = Reflect.get(collection, operation) as ((...given: Arguments) => unknown) | undefined;
    if (!unguarded) continue;
    const guarded = (...given: Arguments): unknown => {
      const scope = presentScope();
      if (!scope) throw new Error(`${name}.${operation} without an organisation: use tenant or acrossOrganisations`);
      const rule = Object.hasOwn(rules, operation) ? rules[operation] : undefined;
      if (rule?.removes?.(given) && withEvents.has(name))
        throw new Error(
          `${name}.${operation} would lose events of what it removes: a document store removes them with it`,
        );
      requireCaller();
      if (!rule?.reads) {
        scope.hasWritten = true;
        // It may be done although nobody hears of it.
        if (!scope.session) callHasChanged();
      }
      const call = (): unknown =>
        unguarded.apply(collection, kept(rule, { given, scope, name, operation, readLimitMs }));
      const isUpsert = rule && (given[rule.keep.length] as Fields | undefined)?.['upsert'] === true;
      return isUpsert && !scope.session ? onceMoreWhereThere(call as () => Promise<unknown>) : call();
    };
    Object.defineProperty(collection, operation, { value: guarded });
  }
}

/**
 * Of two that insert the same document at once one is told that it is there, and updates it then. MongoDB itself does that where a filter has
 * the fields of the unique index and no others, and these have the organisation beside `_id`. A transaction is run again as a whole.
 */
async function onceMoreWhereThere(upsert: () => Promise<unknown>): Promise<unknown> {
  try {
    return await upsert();
  } catch (error) {
    if (!isDuplicate(error, '_id_')) throw error;
    return upsert();
  }
}

interface Call {
  readonly given: Arguments;
  readonly scope: Scope;
  readonly name: string;
  readonly operation: string;
  readonly readLimitMs: number;
}

function kept(rule: Rule | undefined, { given, scope, name, operation, readLimitMs }: Call): Arguments {
  if (!rule) {
    if (scope.organisationId === null) return given;
    throw new Error(`${name}.${operation} cannot be kept to one organisation: use acrossOrganisations`);
  }
  const { organisationId, session, limits } = scope;
  const limit = areLimitsLifted() ? undefined : limits?.[name];
  const holds = limit && (rule.reads || !limit.readsOnly);
  const bounds = organisationId === null ? undefined : { organisationId, limit: holds ? limit.filter : undefined };
  const own = rule.keep.map((keep, at) => (bounds ? keep(given[at], bounds) : given[at]));
  const options = given[rule.keep.length] as Fields | undefined;
  return [...own, { ...(rule.reads && { maxTimeMS: readLimitMs }), ...options, ...(session && { session }) }];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

function withinBounds(filter: unknown, { organisationId, limit }: Bounds): Fields {
  const own = ofOrganisation(filter, organisationId);
  // Whose it is stays at the top, where every planner looks for an index.
  return limit ? { ...own, $and: [...listOf(own['$and']), limit] } : own;
}

function ofOrganisation(filter: unknown, organisationId: string): Fields {
  const given = (filter ?? {}) as Fields;
  return Object.hasOwn(given, ORGANISATION) && given[ORGANISATION] !== organisationId
    ? { $and: [given, { [ORGANISATION]: organisationId }] }
    : { ...given, [ORGANISATION]: organisationId };
}

/** Also where the document is new: an insert of another organisation is a defect, not a wish. */
function owned(document: unknown, { organisationId }: Bounds): unknown {
  const owner = (document as Fields)[ORGANISATION];
  if (owner === undefined) return Object.assign(document as Fields, { [ORGANISATION]: organisationId });
  if (owner !== organisationId) throw new Error('a document of another organisation than the present one');
  return document;
}

const HARMLESS_UPDATE_STAGES = new Set(['$set', '$addFields', '$unset']);

/** An update may not give a document away; only a new one may be told whose it is. */
function keptIn(changes: unknown, { organisationId }: Bounds): unknown {
  if (Array.isArray(changes)) {
    const stages = (changes as Fields[]).flatMap((stage) => Object.entries(stage));
    const harmless = stages.every(([name, value]) => HARMLESS_UPDATE_STAGES.has(name) && !namesOwner(value));
    if (!harmless) throw new Error('an update by a pipeline may use $set and $unset, and not on the organisation');
    return changes;
  }
  for (const [operator, fields] of Object.entries((changes ?? {}) as Fields)) {
    const isOwn = operator === '$setOnInsert' && (fields as Fields)[ORGANISATION] === organisationId;
    if (!isOwn && (namesOwner(fields) || (operator === '$rename' && namesOwner(Object.values(fields as Fields)))))
      throw new Error('an update may not change whose a document is');
  }
  return changes;
}

function namesOwner(fields: unknown): boolean {
  const names = typeof fields === 'string' ? [fields] : Array.isArray(fields) ? fields : Object.keys(fields ?? {});
  return names.some((name) => name === ORGANISATION || String(name).startsWith(`${ORGANISATION}.`));
}

/** These see other collections, or the whole of this one. */
const STAGES_OUTSIDE = new Set(['$lookup', '$graphLookup', '$unionWith', '$out', '$merge']);
/** These have to be first as well, and take a filter. */
const SEARCHES = new Set(['$vectorSearch', '$search', '$searchMeta']);
const STAGES_THAT_MUST_BE_FIRST = new Set([
  '$changeStream',
  '$collStats',
  '$documents',
  '$geoNear',
  '$indexStats',
  '$listSearchIndexes',
  '$planCacheStats',
]);

function keptPipeline(pipeline: unknown, bounds: Bounds): Fields[] {
  const { organisationId, limit } = bounds;
  const stages = listOf(pipeline) as Fields[];
  const outside =
    stageOutside(stages) ??
    Object.keys(stages[0] ?? {}).find((name) => STAGES_THAT_MUST_BE_FIRST.has(name)) ??
    stages
      .slice(1)
      .flatMap(Object.keys)
      .find((name) => SEARCHES.has(name));
  if (outside !== undefined)
    throw new Error(`an aggregation with ${outside} cannot be kept to one organisation: use acrossOrganisations`);
  const [first, ...following] = stages;
  const { $vectorSearch: vectorSearch, $search: search, $searchMeta: count } = first ?? {};
  const isSearch = vectorSearch !== undefined || search !== undefined || count !== undefined;
  if (isSearch && limit) throw new Error('a search of MongoDB takes no limit: it has to filter by itself');
  if (vectorSearch !== undefined) return [ofOrganisationByVector(vectorSearch as Fields, organisationId), ...following];
  if (search !== undefined) return [{ $search: ofOrganisationByWords(search as Fields, organisationId) }, ...following];
  if (count !== undefined) return [countOfOrganisation(count as Fields, organisationId), ...following];
  return [{ $match: withinBounds({}, bounds) }, ...stages];
}

/**
 * A search by vectors has to be the first stage and has a filter of its own, for which its index declares the organisation. Behind a
 * `$match` it would have searched the nearest of everybody. A filter that names the organisation can only narrow this one.
 */
function ofOrganisationByVector({ filter, ...search }: Fields, organisationId: string): Fields {
  const own = { [ORGANISATION]: { $eq: organisationId } };
  return { $vectorSearch: { ...search, filter: filter === undefined ? own : { $and: [own, filter] } } };
}

/** The same by words, in the only form that has a place for a filter; its index has the organisation as a token. */
function ofOrganisationByWords({ index, compound, ...others }: Fields, organisationId: string): Fields {
  if (compound === undefined || Object.keys(others).length > 0)
    throw new Error('a $search other than of an index by compound cannot be kept to one organisation');
  const own = { equals: { path: ORGANISATION, value: organisationId } };
  const { filter, ...clauses } = compound as Fields;
  const filters = Array.isArray(filter) ? listOf(filter) : filter === undefined ? [] : [filter];
  return { index, compound: { ...clauses, filter: [own, ...filters] } };
}

/** How many a search by words finds, without them. Facets and other collectors would count for everybody. */
function countOfOrganisation({ count, ...search }: Fields, organisationId: string): Fields {
  return { $searchMeta: { ...ofOrganisationByWords(search, organisationId), ...(count !== undefined && { count }) } };
}

/** At whatever depth: `$facet` has pipelines of its own. */
function stageOutside(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    const found = STAGES_OUTSIDE.has(name) ? name : stageOutside(inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

const writesOf = (operation: unknown): [string, Fields][] => Object.entries(operation as Record<string, Fields>);

function keptWrite(given: unknown, bounds: Bounds): Fields {
  const kept = writesOf(given).map(([name, write]) => {
    const parts = PARTS[name]?.map((part, at) => [part, rules[name]?.keep[at]?.(write[part], bounds)]);
    if (!parts) throw new Error(`bulkWrite with ${name} cannot be kept to one organisation`);
    return [name, { ...write, ...(Object.fromEntries(parts) as Fields) }];
  });
  return Object.fromEntries(kept) as Fields;
}

/** Every function of the driver's collection, of which some are harmless names and all else does something. */
export function operationsOf({ prototype }: typeof mongo.Collection): string[] {
  return Object.entries(Object.getOwnPropertyDescriptors<object>(prototype))
    .filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function')
    .map(([name]) => name);
}
