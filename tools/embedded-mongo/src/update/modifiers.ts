import { isDocument, type Document, type Value } from '../bson/values.ts';
import { failedToParse, ServerError } from '../errors.ts';
import { compileFilter, type Matcher } from '../query/matcher.ts';
import { isArrayIndex } from '../query/sort-keys.ts';
import { operators, type Change } from './operators.ts';
import { removeAt, targetsOf, type Target } from './targets.ts';

export interface UpdateContext {
  /** Where the filter found something in an array, for `$`. */
  readonly position: number | undefined;
  readonly isInsert: boolean;
}

interface Modifier {
  readonly operator: string;
  readonly path: string;
  readonly names: readonly string[];
  readonly change: Change;
  /** What is renamed to this. */
  readonly from?: readonly string[];
}

/** Compiles `{$set: …, $inc: …}`; everything that can be refused without a document is refused here. */
export function compileModifiers(
  update: Document,
  arrayFilters: readonly Value[],
): (document: Document, circumstances: UpdateContext) => void {
  const filters = namedFilters(arrayFilters);
  const modifiers: Modifier[] = [];
  for (const [operator, fields] of update) {
    const compile = operators[operator];
    if (!operator.startsWith('$') || (!compile && operator !== '$rename'))
      throw failedToParse(
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    if (!isDocument(fields))
      throw failedToParse(
        `Modifiers operate on fields but we found another type instead. For example: {$mod: {<field>: ...}} not {${operator}: …}`,
      );
    for (const [path, operand] of fields) {
      if (compile) modifiers.push({ operator, path, names: namesOf(path), change: compile(operand, path) });
      else {
        modifiers.push(...renameOf(path, operand));
      }
    }
  }
  refuseConflicts(modifiers, filters);
  // As MongoDB does, new fields come to be in the order of their names.
  const ordered = modifiers.toSorted(byPath);
  return (document, circumstances) => {
    for (const { operator, names, path, change, from } of ordered) {
      if (operator === '$rename') {
        if (from) rename(document, from, names);
        continue;
      }
      if (operator === '$setOnInsert' && !circumstances.isInsert) continue;
      const { creates, tolerant = false } = change;
      const way = { path, filters, position: circumstances.position, creates, tolerant };
      for (const target of targetsOf(document, names, way)) apply(target, change, path);
    }
  };
}

function apply(target: Target, { change, creates }: Change, path: string): void {
  const before = target.get();
  const after = change(before, path);
  if (after === before) return;
  if (after === undefined) target.remove();
  else if (before !== undefined || creates) target.set(after);
}

function namesOf(path: string): string[] {
  if (path === '') throw new ServerError(56, 'An empty update path is not valid.');
  const names = path.split('.');
  if (names.includes(''))
    throw new ServerError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  for (const name of names)
    if (name.startsWith('$') && name !== '$' && !/^\$\[.*\]$/.test(name))
      throw new ServerError(
        52,
        `The dollar ($) prefixed field '${name}' in '${path}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
  if (names[0]?.startsWith('$'))
    throw new ServerError(
      2,
      `Cannot have array filter identifier or positional operator in the first position of the path '${path}'`,
    );
  return names;
}

const never: Change = { change: (before) => before, creates: false };

function renameOf(path: string, operand: Value): [from: Modifier, to: Modifier] {
  if (typeof operand !== 'string') throw new ServerError(2, `The 'to' field for $rename must be a string: ${path}`);
  for (const one of [path, operand])
    if (one.split('.').some((name) => name.startsWith('$')))
      throw new ServerError(2, `The source and target field for $rename must not be dynamic: ${one}`);
  if (path === operand)
    throw new ServerError(2, `The source and target field for $rename must differ: ${path}: "${operand}"`);
  if (path.startsWith(`${operand}.`) || operand.startsWith(`${path}.`))
    throw new ServerError(
      2,
      `The source and target field for $rename must not be on the same path: ${path}: "${operand}"`,
    );
  const made = (each: string): Modifier => ({ operator: '$rename', path: each, names: namesOf(each), change: never });
  const source = made(path);
  return [source, { ...made(operand), from: source.names }];
}

function rename(document: Document, from: readonly string[], to: readonly string[]): void {
  let owner: Document = document;
  for (const [at, name] of from.slice(0, -1).entries()) {
    const inner = owner.get(name);
    if (inner === undefined) return;
    const next = from[at + 1] ?? '';
    if (Array.isArray(inner) && isArrayIndex(next)) {
      if (Number(next) >= inner.length) return;
      throw new ServerError(2, `The source field of $rename cannot be an array element, '${from.join('.')}'`);
    }
    if (!isDocument(inner))
      throw new ServerError(28, `cannot use the part (${name} of ${from.join('.')}) to traverse the element`);
    owner = inner;
  }
  const value = owner.get(from.at(-1) ?? '');
  if (value === undefined) return;
  let holder: Value | undefined = document;
  for (const name of to.slice(0, -1)) {
    holder = isDocument(holder) ? holder.get(name) : undefined;
    if (Array.isArray(holder))
      throw new ServerError(2, `The destination field of $rename cannot be an array element, '${to.join('.')}'`);
  }
  removeAt(owner, from.at(-1) ?? '');
  for (const target of targetsOf(document, to, {
    path: to.join('.'),
    filters: new Map(),
    position: undefined,
    creates: true,
    tolerant: false,
  }))
    target.set(value);
}

/** By name, numbers by their value. */
function byPath({ names: one }: Modifier, { names: other }: Modifier): number {
  for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
    const [left = '', right = ''] = [one[at], other[at]];
    if (left === right) continue;
    if (isArrayIndex(left) && isArrayIndex(right)) return Number(left) - Number(right);
    return left < right ? -1 : 1;
  }
  return one.length - other.length;
}

function refuseConflicts(modifiers: readonly Modifier[], filters: ReadonlyMap<string, Matcher>): void {
  const seen: Modifier[] = [];
  const used = new Set<string>();
  for (const modifier of modifiers) {
    for (const name of modifier.names) {
      const identifier = /^\$\[(.+)\]$/.exec(name)?.[1];
      if (identifier === undefined) continue;
      if (!filters.has(identifier))
        throw new ServerError(2, `No array filter found for identifier '${identifier}' in path '${modifier.path}'`);
      used.add(identifier);
    }
    for (const other of seen) {
      const shared = Math.min(modifier.names.length, other.names.length);
      if (modifier.names.slice(0, shared).every((name, at) => name === other.names[at]))
        throw new ServerError(
          40,
          `Updating the path '${modifier.path}' would create a conflict at '${modifier.names.slice(0, shared).join('.')}'`,
        );
    }
    seen.push(modifier);
  }
  for (const identifier of filters.keys())
    if (!used.has(identifier))
      throw failedToParse(`The array filter for identifier '${identifier}' was not used in the update`);
}

function namedFilters(filters: readonly Value[]): ReadonlyMap<string, Matcher> {
  const named = new Map<string, Matcher>();
  for (const filter of filters) {
    if (!isDocument(filter)) throw new ServerError(14, 'an array filter has to be an object');
    const matcher = compileFilter(filter);
    const identifier = identifierOf(filter);
    if (identifier === undefined)
      throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
    if (!/^[a-z][a-zA-Z0-9]*$/.test(identifier))
      throw new ServerError(
        2,
        `Error parsing array filter: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${identifier}'`,
      );
    if (named.has(identifier))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier}`);
    named.set(identifier, matcher);
  }
  return named;
}

function identifierOf(filter: Document): string | undefined {
  for (const [name, value] of filter) {
    if (!name.startsWith('$')) return name.split('.')[0];
    const inner = Array.isArray(value) ? value.filter(isDocument).map(identifierOf) : [];
    const found = inner.find((identifier) => identifier !== undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}
