import { shown } from '../bson/text.ts';
import { isDocument, type Document, type Value } from '../bson/values.ts';
import { ServerError } from '../errors.ts';
import type { Matcher } from '../query/matcher.ts';
import { isArrayIndex } from '../query/sort-keys.ts';

/** A place in a document, which may be empty still. */
export interface Target {
  get(): Value | undefined;
  set(value: Value): void;
  remove(): void;
}

export interface Way {
  readonly path: string;
  readonly filters: ReadonlyMap<string, Matcher>;
  readonly position: number | undefined;
  /** Whether what is missing on the way comes to be. */
  readonly creates: boolean;
  /** Whether nothing is said of a way that cannot be. */
  readonly tolerant: boolean;
}

/** Elements that an update may add to an array by naming the index of a late one. */
const MAX_FILL = 1_500_000;

/** The places that a path with `$`, `$[]` and `$[name]` stands for. */
export function targetsOf(document: Document, names: readonly string[], way: Way): Target[] {
  return within(document, names, 0, way);
}

function within(owner: Document | Value[], names: readonly string[], at: number, way: Way): Target[] {
  const name = names[at] ?? '';
  const isLast = at === names.length - 1;
  if (name.startsWith('$')) {
    if (!Array.isArray(owner))
      throw new ServerError(2, `Cannot apply array updates to non-array element in the path '${way.path}'`);
    return chosen(owner, name, way).flatMap((index) =>
      isLast ? [elementTarget(owner, index)] : inside(owner[index], names, at, way, elementTarget(owner, index)),
    );
  }
  const target = Array.isArray(owner) ? indexTarget(owner, name, way) : fieldTarget(owner, name);
  if (!target) return [];
  return isLast ? [target] : inside(target.get(), names, at, way, target);
}

function inside(value: Value | undefined, names: readonly string[], at: number, way: Way, target: Target): Target[] {
  if (isDocument(value) || Array.isArray(value)) return within(value, names, at + 1, way);
  const next = names[at + 1] ?? '';
  if (value === undefined && next.startsWith('$'))
    throw new ServerError(
      2,
      `The path '${names.slice(0, at + 1).join('.')}' must exist in the document in order to apply array updates.`,
    );
  if (value === undefined && !way.creates) return [];
  if (value === undefined) return [later(target, names.slice(at + 1))];
  if (way.tolerant) return [];
  throw notViable(next, names[at] ?? '', value);
}

const notViable = (name: string, owner: string, value: Value): ServerError =>
  new ServerError(28, `Cannot create field '${name}' in element {${owner}: ${shown(value)}}`);

/** What is missing comes to be with its value only, so that nothing is left where there is none. */
function later(target: Target, names: readonly string[]): Target {
  return {
    get: () => undefined,
    set(value) {
      target.set(names.reduceRight<Value>((inner, name) => new Map([[name, inner]]), value));
    },
    remove: () => undefined,
  };
}

function fieldTarget(owner: Document, name: string): Target {
  return {
    get: () => owner.get(name),
    set: (value) => void owner.set(name, value),
    remove: () => {
      removeAt(owner, name);
    },
  };
}

export const removeAt = (owner: Document, name: string): void => void owner.delete(name);

/** An element that is taken away leaves a null, so that the others keep their places. */
const elementTarget = (owner: Value[], index: number): Target => ({
  get: () => owner[index],
  set(value) {
    while (owner.length < index) owner.push(null);
    owner[index] = value;
  },
  remove() {
    if (index < owner.length) owner[index] = null;
  },
});

function indexTarget(owner: Value[], name: string, way: Way): Target | undefined {
  if (!isArrayIndex(name)) {
    if (way.tolerant) return undefined;
    throw notViable(name, way.path.split('.').slice(0, -1).at(-1) ?? '', owner);
  }
  const index = Number(name);
  if (index > owner.length + MAX_FILL) throw new ServerError(2, 'the index of an array is too large');
  return elementTarget(owner, index);
}

function chosen(owner: readonly Value[], name: string, { filters, position, path }: Way): number[] {
  if (name === '$') {
    if (position === undefined)
      throw new ServerError(
        2,
        `The positional operator did not find the match needed from the query. Unexpanded update: ${path}`,
      );
    return [position];
  }
  const identifier = name.slice(2, -1);
  const filter = filters.get(identifier);
  return owner.flatMap((element, index) =>
    identifier === '' || filter?.test(new Map([[identifier, element]])) ? [index] : [],
  );
}
