import { ObjectId } from 'bson';
import { isEqual } from '../bson/order.ts';
import { isDocument, typeOf, type Document, type Value } from '../bson/values.ts';
import { badValue, failedToParse, ServerError } from '../errors.ts';
import type { Matcher } from '../query/matcher.ts';
import { compileModifiers, type UpdateContext } from './modifiers.ts';

/** What an update makes of a document. The document may be changed in place. */
export interface Update {
  readonly isReplacement: boolean;
  apply(document: Document, circumstances: UpdateContext): Document;
}

export interface UpdateOptions {
  readonly arrayFilters: readonly Value[];
  /** Compiles an update by a pipeline. */
  readonly pipeline: (stages: readonly Value[]) => (document: Document) => Document;
}

export function compileUpdate(update: Value, { arrayFilters, pipeline }: UpdateOptions): Update {
  if (Array.isArray(update)) {
    if (arrayFilters.length > 0) throw failedToParse('arrayFilters may not be specified for pipeline-style updates');
    const run = pipeline(update);
    return { isReplacement: false, apply: (document) => sameId(document.get('_id'), run(document)) };
  }
  if (!isDocument(update)) throw failedToParse('Update argument must be either an object or an array');
  const [first] = update.keys();
  if (first?.startsWith('$')) {
    const modify = compileModifiers(update, arrayFilters);
    return {
      isReplacement: false,
      apply(document, circumstances) {
        const id = document.get('_id');
        modify(document, circumstances);
        return sameId(id, document);
      },
    };
  }
  for (const name of update.keys())
    if (name.startsWith('$'))
      throw new ServerError(
        52,
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
  if (arrayFilters.length > 0) throw failedToParse('arrayFilters may not be specified for replacement-style updates');
  return { isReplacement: true, apply: (document) => sameId(document.get('_id'), new Map(update)) };
}

/** A document keeps its id, in front of all other fields where a new one takes its place. */
function sameId(id: Value | undefined, document: Document): Document {
  const next = document.get('_id');
  if (id === undefined) return document;
  if (next === undefined) return new Map([['_id', id], ...document]);
  if (!isEqual(id, next))
    throw new ServerError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
  return document;
}

/** The document that an upsert begins with: what the filter says of its fields. */
export function seedOf(matcher: Matcher): Document {
  const document: Document = new Map();
  for (const { path, operator, operand } of matcher.predicates) {
    if (operator === '$eq') seed(document, path, operand);
    else if (operator === '$in' && Array.isArray(operand) && operand.length === 1 && operand[0] !== undefined)
      seed(document, path, operand[0]);
  }
  return document;
}

function seed(document: Document, path: string, value: Value): void {
  const names = path.split('.');
  let owner = document;
  for (const name of names.slice(0, -1)) {
    const inner = owner.get(name) ?? new Map<string, Value>();
    if (!isDocument(inner)) throw notSingle(path);
    owner.set(name, inner);
    owner = inner;
  }
  const name = names.at(-1) ?? '';
  if (owner.has(name)) throw notSingle(path);
  owner.set(name, value);
}

const notSingle = (path: string): ServerError =>
  new ServerError(54, `cannot infer query fields to set, path '${path}' is matched twice`);

/** With an id, which stands first. */
export function withId(document: Document): Document {
  const id = document.get('_id');
  if (id === undefined) return new Map<string, Value>([['_id', new ObjectId()], ...document]);
  requireId(id);
  const [first] = document.keys();
  return first === '_id' ? document : new Map([['_id', id], ...document]);
}

export function requireId(id: Value): void {
  const type = typeOf(id);
  if (type === 'array' || type === 'regex') throw new ServerError(53, `The '_id' value cannot be of type ${type}`);
  if (isDocument(id)) {
    const wrong = [...id.keys()].find((name) => name.startsWith('$'));
    if (wrong !== undefined)
      throw new ServerError(52, `_id fields may not contain '$'-prefixed fields: ${wrong} is not valid for storage.`);
  }
}

export const arrayFiltersOf = (filters: Value | undefined): readonly Value[] => {
  if (filters === undefined) return [];
  if (!Array.isArray(filters)) throw badValue('arrayFilters must be an array');
  return filters;
};
