import { isDocument, type Value } from '../bson/values.ts';
import { isArrayIndex } from './sort-keys.ts';

/** What a match has found on its way: the index in the outermost array, for the `$` of an update. */
export interface MatchDetails {
  position?: number;
}

type Visit = (value: Value | undefined, details?: MatchDetails) => boolean;

/**
 * Whether `visit` takes any of the values that MongoDB sees under a path: through arrays on the way, and where `elements`
 * are asked for also each element of an array at its end. Missing is `undefined`.
 */
export function visitPath(
  value: Value | undefined,
  path: readonly string[],
  at: number,
  elements: boolean,
  visit: Visit,
  details?: MatchDetails,
): boolean {
  const name = path[at];
  if (name === undefined) return visitEnd(value, elements, visit, details);
  if (isDocument(value)) return visitPath(value.get(name), path, at + 1, elements, visit, details);
  if (!Array.isArray(value)) return visit(undefined);
  for (const [index, element] of value.entries()) {
    if (isDocument(element) && visitPath(element, path, at, elements, visit)) {
      if (details) details.position = index;
      return true;
    }
  }
  const element = isArrayIndex(name) ? value[Number(name)] : undefined;
  if (element === undefined) return false;
  // One that is named by its place is not looked into.
  return at === path.length - 1 ? visit(element) : visitPath(element, path, at + 1, elements, visit, details);
}

function visitEnd(value: Value | undefined, elements: boolean, visit: Visit, details?: MatchDetails): boolean {
  if (elements && Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      if (!visit(element)) continue;
      if (details) details.position = index;
      return true;
    }
  }
  return visit(value, details);
}
