import { toNumber } from '../bson/numbers.ts';
import { EMPTY_ARRAY, orderBytes } from '../bson/order.ts';
import { isDocument, isNumeric, type Document, type Value } from '../bson/values.ts';
import { badValue, ServerError } from '../errors.ts';

/** A field of an index or of a sort. */
export interface KeyPart {
  readonly name: string;
  readonly path: readonly string[];
  readonly descending: boolean;
}

export const keyPart = (name: string, descending: boolean): KeyPart => ({ name, path: name.split('.'), descending });

export interface Keys {
  readonly keys: readonly Buffer[];
  /** For each part whether it went through an array. */
  readonly multi: readonly boolean[];
}

/** Where a part has got to: at its value, or in front of an array or of what else is on its way. */
type Step = { readonly value: Value | undefined } | { readonly source: Value; readonly at: number };

const ARRAY_INDEX = /^(0|[1-9]\d*)$/;

export const isArrayIndex = (name: string): boolean => ARRAY_INDEX.test(name);

/** All entries of a document in an index: one, or where there is an array one for each of its elements. */
export function keysOf(document: Document, parts: readonly KeyPart[]): Keys {
  const multi = parts.map(() => false);
  const keys: Buffer[] = [];
  const seen = new Set<string>();
  const begin = parts.map((): Step => ({ source: document, at: 0 }));
  expand(begin, parts, multi, (values) => {
    const key = Buffer.concat(values.map((value, index) => orderBytes(value, parts[index]?.descending)));
    const text = key.toString('latin1');
    if (!seen.has(text)) keys.push(key);
    seen.add(text);
  });
  return { keys, multi };
}

/** Of several keys of a document its first one counts, so that arrays sort by their least or their greatest element. */
export function sortKey(document: Document, parts: readonly KeyPart[]): Buffer {
  try {
    return keysOf(document, parts).keys.reduce((least, key) => (Buffer.compare(key, least) < 0 ? key : least));
  } catch (error) {
    if (error instanceof ServerError && error.code === 171)
      throw badValue('cannot sort with keys that are parallel arrays');
    throw error;
  }
}

function expand(
  steps: readonly Step[],
  parts: readonly KeyPart[],
  multi: boolean[],
  add: (values: (Value | undefined)[]) => void,
): void {
  const walked = steps.map((step, index) => walk(step, parts[index]?.path ?? []));
  let array: Value[] | undefined;
  for (const [index, step] of walked.entries()) {
    if ('value' in step) continue;
    if (array && array !== step.source) throw parallel(parts, walked);
    array = step.source as Value[];
    multi[index] = true;
  }
  if (!array) {
    add(walked.map((step) => ('value' in step ? step.value : null)));
    return;
  }
  const ends = (step: { at: number }, index: number) => step.at === parts[index]?.path.length;
  if (array.length === 0) {
    add(walked.map((step, index) => ('value' in step ? step.value : ends(step, index) ? EMPTY_ARRAY : null)));
    return;
  }
  for (const element of array) {
    const next = walked.map((step, index): Step => {
      if ('value' in step) return step;
      if (ends(step, index)) return { value: element };
      return isDocument(element) ? { source: element, at: step.at } : { value: null };
    });
    expand(next, parts, multi, add);
  }
}

function walk(step: Step, path: readonly string[]): Step {
  if ('value' in step) return step;
  let { source, at } = step;
  while (at < path.length) {
    const name = path[at] ?? '';
    if (Array.isArray(source)) {
      const element = isArrayIndex(name) ? source[Number(name)] : undefined;
      if (element === undefined) return { source, at };
      if (source.some((each) => isDocument(each) && each.has(name)))
        throw new ServerError(
          16746,
          `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${name}'`,
        );
      source = element;
    } else {
      const next = isDocument(source) ? source.get(name) : undefined;
      if (next === undefined) return { value: null };
      source = next;
    }
    at += 1;
  }
  return Array.isArray(source) ? { source, at } : { value: source };
}

function parallel(parts: readonly KeyPart[], steps: readonly Step[]): ServerError {
  const names = parts
    .filter((_, index) => !('value' in (steps[index] ?? { value: null })))
    .map(({ path, name }) => path[0] ?? name);
  return new ServerError(171, `cannot index parallel arrays ${names.map((name) => `[${name}]`).join(' ')}`);
}

/** `{createdAt: -1, _id: 1}` */
export function sortParts(sort: Document): KeyPart[] {
  return [...sort].map(([name, direction]) => {
    const number = isNumeric(direction) ? toNumber(direction) : NaN;
    if (Math.abs(number) !== 1)
      throw new ServerError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
    if (name === '' || name.startsWith('$') || name.split('.').includes(''))
      throw new ServerError(15998, `FieldPath field names may not be empty nor start with '$'. Found: '${name}'`);
    return keyPart(name, number < 0);
  });
}
