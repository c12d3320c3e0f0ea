import { isEqual } from '../bson/order.ts';
import { isDocument, type Document, type Value } from '../bson/values.ts';
import { badValue } from '../errors.ts';
import { compileFilter, type Matcher, type Predicate } from '../query/matcher.ts';
import type { KeyPart } from '../query/sort-keys.ts';
import type { Collection, Index } from '../storage/catalogue.ts';
import { endOf } from '../storage/documents.ts';
import type { KeyRange } from '../storage/view.ts';
import { intersect, intervalsOf, isPoint, predicatesInside, rangeBehind, type Interval } from './bounds.ts';

export interface IndexPlan {
  readonly kind: 'index';
  readonly index: Index;
  /** In the order of the index. */
  readonly ranges: readonly KeyRange[];
  readonly backwards: boolean;
  /** Whether documents come in the order that was asked for. */
  readonly isSorted: boolean;
  /** Names of the fields that are looked up. */
  readonly bounded: readonly string[];
}

export type Plan =
  | IndexPlan
  | { readonly kind: 'union'; readonly plans: readonly IndexPlan[]; readonly isSorted: false }
  | { readonly kind: 'collection'; readonly backwards: boolean; readonly isSorted: boolean };

export interface Question {
  readonly matcher: Matcher;
  readonly sort: readonly KeyPart[];
  /** The name of an index or its key. */
  readonly hint?: Value | undefined;
}

export function planOf(collection: Collection, { matcher, sort, hint }: Question): Plan {
  const predicates = matcher.predicates.flatMap((predicate) =>
    predicate.operator === '$elemMatch'
      ? [predicate, ...predicatesInside(predicate, (filter) => compileFilter(filter).predicates)]
      : [predicate],
  );
  if (hint !== undefined) return hinted(collection, predicates, sort, hint);
  let best: IndexPlan | undefined;
  let bestScore = 0;
  for (const index of collection.indexes) {
    if (!isImplied(index, predicates)) continue;
    const [plan, score] = planWith(index, predicates, sort);
    if (score > bestScore) [best, bestScore] = [plan, score];
  }
  if (best && best.bounded.length > 0) return best;
  return (
    unionOf(collection, matcher, predicates) ??
    best ?? { kind: 'collection', backwards: false, isSorted: sort.length === 0 }
  );
}

function hinted(collection: Collection, predicates: readonly Predicate[], sort: readonly KeyPart[], hint: Value): Plan {
  if (isDocument(hint) && hint.has('$natural'))
    return { kind: 'collection', backwards: isEqual(hint.get('$natural'), -1), isSorted: sort.length === 0 };
  const index = collection.indexes.find(({ name, spec }) =>
    isDocument(hint) ? isEqual(spec.get('key'), hint) : name === hint,
  );
  if (!index)
    throw badValue(
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    );
  return planWith(index, predicates, sort)[0];
}

/** Where all alternatives have an index, their parts are read one after the other. */
function unionOf(
  collection: Collection,
  { alternatives }: Matcher,
  predicates: readonly Predicate[],
): Plan | undefined {
  for (const branches of alternatives) {
    const plans = branches.map((branch) => {
      const both: Matcher = { ...branch, predicates: [...branch.predicates, ...predicates] };
      const plan = planOf(collection, { matcher: both, sort: [] });
      return plan.kind === 'index' && plan.bounded.length > 0 ? plan : undefined;
    });
    const found = plans.filter((plan) => plan !== undefined);
    if (found.length === branches.length) return { kind: 'union', plans: found, isSorted: false };
  }
  return undefined;
}

/** More than this are one range with a filter. */
const MAX_RANGES = 1_000;

function planWith(
  index: Index,
  predicates: readonly Predicate[],
  sort: readonly KeyPart[],
): [IndexPlan, score: number] {
  const firstMulti = index.multi.indexOf(true);
  const fields = index.parts.map((part, at) => {
    const multi = index.multi[at] === true;
    // Of fields in one array, the values that match may be those of different elements.
    if (multi && at !== firstMulti) return undefined;
    return fieldIntervals(
      predicates.filter(({ path }) => path === part.name),
      multi,
    );
  });
  let prefixes: Buffer[] = [Buffer.alloc(0)];
  let ranges: KeyRange[] | undefined;
  const bounded: string[] = [];
  let points = 0;
  for (const [at, part] of index.parts.entries()) {
    const intervals = fields[at];
    if (!intervals || prefixes.length * intervals.length > MAX_RANGES) break;
    bounded.push(part.name);
    ranges = prefixes.flatMap((prefix) => intervals.map((interval) => rangeBehind(prefix, interval, part.descending)));
    if (!intervals.every(isPoint)) break;
    points += 1;
    prefixes = ranges.map(({ from }) => from);
    ranges = undefined;
  }
  ranges ??= prefixes.map((prefix) => ({ from: prefix, to: endOf(prefix) }));
  ranges.sort((one, other) => Buffer.compare(one.from, other.from));
  const direction = directionFor(index, fields, sort);
  const isSorted = sort.length === 0 || direction !== undefined;
  const isWhole = index.unique && points === index.parts.length;
  const ranged = bounded.length - points;
  const score =
    (isWhole ? 500 : 0) +
    points * 10 +
    ranged * 5 +
    (sort.length > 0 && isSorted ? 8 : 0) +
    (index.sparse || index.partial ? 4 : 0) -
    (prefixes.length > 1 ? 1 : 0);
  return [{ kind: 'index', index, ranges, backwards: direction === 'backwards', isSorted, bounded }, score];
}

function fieldIntervals(predicates: readonly Predicate[], multi: boolean): Interval[] | undefined {
  const all = predicates.flatMap((predicate) => {
    const intervals = intervalsOf(predicate);
    return intervals ? [intervals] : [];
  });
  if (all.length === 0) return undefined;
  // Each may be true of another element.
  if (multi) return all.find((intervals) => intervals.every(isPoint)) ?? all[0];
  return all.reduce((result, intervals) => intersect(result, intervals));
}

/** How an index has to be read for a sort; undefined where it does not have that order. */
function directionFor(
  index: Index,
  fields: readonly (readonly Interval[] | undefined)[],
  sort: readonly KeyPart[],
): 'forwards' | 'backwards' | undefined {
  const isFixed = (at: number): boolean => {
    const intervals = fields[at];
    return intervals?.length === 1 && intervals.every(isPoint);
  };
  // By an array a sort goes by its least or largest element, which need not be the one that was looked up.
  const fixed = new Set(index.parts.filter((_, at) => isFixed(at) && !index.multi[at]).map(({ name }) => name));
  let backwards: boolean | undefined;
  let at = 0;
  for (const { name, descending } of sort) {
    if (fixed.has(name)) continue;
    while (at < index.parts.length && isFixed(at)) at += 1;
    const part = index.parts[at];
    if (part?.name !== name || index.multi[at]) return undefined;
    const turned = part.descending !== descending;
    if (backwards !== undefined && backwards !== turned) return undefined;
    backwards = turned;
    at += 1;
  }
  return backwards ? 'backwards' : 'forwards';
}

/** Whether an index has every document that can match: those of a sparse or partial one are not all. */
function isImplied(index: Index, predicates: readonly Predicate[]): boolean {
  if (
    index.sparse &&
    !predicates.some((predicate) => index.parts.some(({ name }) => name === predicate.path) && needsValue(predicate))
  )
    return false;
  if (!index.partial) return true;
  const condition = index.spec.get('partialFilterExpression');
  if (!isDocument(condition)) return false;
  return saysMore(condition, predicates);
}

/** Whether a document without the field cannot match. */
function needsValue({ operator, operand }: Predicate): boolean {
  if (operator === '$exists') return operand === true;
  if (operator === '$in') return Array.isArray(operand) && !operand.includes(null);
  return operator !== 'other' && operand !== null;
}

function saysMore(condition: Document, predicates: readonly Predicate[]): boolean {
  const { predicates: wanted, alternatives } = compileFilter(condition);
  if (alternatives.length > 0) return false;
  // Every part of the condition has to be one that is understood here.
  const parts = countParts(condition);
  return parts === wanted.length && wanted.every((one) => predicates.some((given) => implies(given, one)));
}

function countParts(condition: Document): number {
  let count = 0;
  for (const [name, value] of condition) {
    if (name === '$and' && Array.isArray(value))
      count += value.reduce<number>((sum, part) => sum + (isDocument(part) ? countParts(part) : 1), 0);
    else if (isDocument(value) && [...value.keys()].some((each) => each.startsWith('$'))) count += value.size;
    else count += 1;
  }
  return count;
}

function implies(given: Predicate, wanted: Predicate): boolean {
  if (given.path !== wanted.path) return false;
  if (wanted.operator === '$exists' && wanted.operand === true) return needsValue(given);
  if (given.operator === wanted.operator && isEqual(given.operand, wanted.operand)) return true;
  const [inner, outer] = [intervalsOf(given), intervalsOf(wanted)];
  if (
    !inner ||
    !outer ||
    given.operator === '$exists' ||
    wanted.operator === '$exists' ||
    given.operator === '$regex' ||
    wanted.operator === '$regex'
  )
    return false;
  const shared = intersect(inner, outer);
  return shared.length === inner.length && shared.every((interval, at) => sameInterval(interval, inner[at]));
}

const sameInterval = (one: Interval, other: Interval | undefined): boolean =>
  other !== undefined &&
  one.start.after === other.start.after &&
  one.end.after === other.end.after &&
  one.start.prefix.equals(other.start.prefix) &&
  one.end.prefix.equals(other.end.prefix);
