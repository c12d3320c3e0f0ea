import { toInteger } from '../bson/numbers.ts';
import { isDocument, isNumeric, type Document, type Value } from '../bson/values.ts';
import { badValue, notImplemented, ServerError } from '../errors.ts';
import { compileFilter, isTrue } from './matcher.ts';

/** Computes the value of a field; handed in, as projections know nothing of expressions. */
export type CompileField = (expression: Value) => (document: Document) => Value | undefined;

export type Project = (document: Document) => Document;

interface Tree {
  /** In the order in which they were given, which new fields keep. */
  readonly fields: Map<string, Tree | Leaf>;
}

type Leaf =
  | { readonly kind: 'include' }
  | { readonly kind: 'exclude' }
  | { readonly kind: 'compute'; readonly compute: (document: Document) => Value | undefined }
  | { readonly kind: 'change'; readonly change: (value: Value) => Value | undefined };

const isTree = (node: Tree | Leaf | undefined): node is Tree => node !== undefined && 'fields' in node;

interface Parsed {
  readonly tree: Tree;
  includes: boolean | undefined;
  id: boolean | undefined;
  changes: boolean;
}

/** Of a find, or of `$project` where `find` is false: `$slice`, `$elemMatch` and `$` are for a find alone. */
export function compileProjection(projection: Document, compileField: CompileField, find: boolean): Project {
  const parsed: Parsed = { tree: { fields: new Map() }, includes: undefined, id: undefined, changes: false };
  for (const [name, value] of projection) read(parsed, name.split('.'), 0, value, { compileField, find, path: name });
  const { tree, id } = parsed;
  const includes = parsed.includes ?? (id === true && !parsed.changes);
  if (includes && id !== false && !tree.fields.has('_id')) tree.fields.set('_id', { kind: 'include' });
  if (!includes && id === false) tree.fields.set('_id', { kind: 'exclude' });
  return (document) => projected(document, tree, includes, document) as Document;
}

interface Reading {
  readonly compileField: CompileField;
  readonly find: boolean;
  readonly path: string;
}

function read(parsed: Parsed, names: readonly string[], depth: number, value: Value, reading: Reading): void {
  const { compileField, find, path } = reading;
  if (names.includes('')) throw new ServerError(40353, `FieldPath must not have empty parts: '${path}'`);
  if (names.at(-1) === '$') throw notImplemented('a positional projection');
  if (names.some((name) => name.startsWith('$')))
    throw new ServerError(16410, `FieldPath field names may not start with '$': '${path}'`);
  const put = (leaf: Leaf): void => {
    insert(parsed.tree, names, leaf, path);
  };
  if (typeof value === 'boolean' || isNumeric(value)) {
    const wanted = isTrue(value);
    if (path === '_id') parsed.id = wanted;
    else decide(parsed, wanted, path);
    if (path !== '_id') put({ kind: wanted ? 'include' : 'exclude' });
    return;
  }
  if (isDocument(value)) {
    const [operator = ''] = value.keys();
    if (find && operator === '$slice' && parsedSlice(value.get(operator) ?? null)) {
      parsed.changes = true;
      put({ kind: 'change', change: parsedSlice(value.get(operator) ?? null) ?? ((each) => each) });
      return;
    }
    if (find && operator === '$elemMatch') {
      decide(parsed, true, path);
      put({ kind: 'change', change: firstMatch(value.get(operator) ?? null) });
      return;
    }
    if (operator === '$meta') throw notImplemented('$meta');
    if (!operator.startsWith('$')) {
      if (value.size === 0)
        throw new ServerError(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
      for (const [name, inner] of value)
        read(parsed, [...names, ...name.split('.')], depth + 1, inner, { ...reading, path: `${path}.${name}` });
      return;
    }
  }
  if (path === '_id') parsed.id = true;
  else decide(parsed, true, path);
  put({ kind: 'compute', compute: compileField(value) });
}

function decide(parsed: Parsed, includes: boolean, path: string): void {
  if (parsed.includes !== undefined && parsed.includes !== includes)
    throw new ServerError(
      includes ? 31253 : 31254,
      `Cannot do ${includes ? 'inclusion' : 'exclusion'} on field ${path} in ${includes ? 'exclusion' : 'inclusion'} projection`,
    );
  parsed.includes = includes;
}

function insert(tree: Tree, names: readonly string[], leaf: Leaf, path: string): void {
  let owner = tree;
  for (const name of names.slice(0, -1)) {
    const next: Tree | Leaf = owner.fields.get(name) ?? { fields: new Map() };
    if (!isTree(next)) throw new ServerError(31249, `Path collision at ${path} remaining portion ${name}`);
    owner.fields.set(name, next);
    owner = next;
  }
  const last = names.at(-1) ?? '';
  if (owner.fields.has(last)) throw new ServerError(31250, `Path collision at ${path}`);
  owner.fields.set(last, leaf);
}

function projected(value: Value, tree: Tree, includes: boolean, root: Document): Value | undefined {
  if (Array.isArray(value))
    return value.flatMap((element) => {
      const kept =
        isDocument(element) || Array.isArray(element)
          ? projected(element, tree, includes, root)
          : includes
            ? undefined
            : element;
      return kept === undefined ? [] : [kept];
    });
  if (!isDocument(value)) return includes ? undefined : value;
  const result: Document = new Map();
  for (const [name, inner] of value) {
    const node = tree.fields.get(name);
    const kept = node ? fieldOf(inner, node, includes, root) : includes ? undefined : inner;
    if (kept !== undefined) result.set(name, kept);
  }
  for (const [name, node] of tree.fields) {
    const computed = result.has(name) && isTree(node) ? undefined : computedOf(node, root);
    if (computed !== undefined) result.set(name, computed);
  }
  return result;
}

function fieldOf(value: Value, node: Tree | Leaf, includes: boolean, root: Document): Value | undefined {
  if (isTree(node)) return projected(value, node, includes, root);
  if (node.kind === 'include') return value;
  return node.kind === 'change' ? node.change(value) : undefined;
}

/** Computed fields stand behind those that are there. */
function computedOf(node: Tree | Leaf, root: Document): Value | undefined {
  if (!isTree(node)) return node.kind === 'compute' ? node.compute(root) : undefined;
  const inner = [...node.fields].flatMap(([name, each]): [string, Value][] => {
    const value = computedOf(each, root);
    return value === undefined ? [] : [[name, value]];
  });
  return inner.length > 0 ? new Map(inner) : undefined;
}

function parsedSlice(operand: Value): ((value: Value) => Value) | undefined {
  const numbers = (Array.isArray(operand) ? operand : [operand]).map((value) =>
    isNumeric(value) ? toInteger(value) : undefined,
  );
  const [first, second] = numbers.map((number) => (number === undefined ? NaN : Number(number)));
  if (first === undefined || numbers.length > 2 || numbers.includes(undefined)) return undefined;
  return (value) => {
    if (!Array.isArray(value)) return value;
    if (second === undefined) return first < 0 ? value.slice(first) : value.slice(0, first);
    if (second <= 0) throw new ServerError(28724, 'the number of elements of $slice has to be positive');
    const start = first < 0 ? Math.max(0, value.length + first) : first;
    return value.slice(start, start + second);
  };
}

function firstMatch(operand: Value): (value: Value) => Value | undefined {
  if (!isDocument(operand)) throw badValue('$elemMatch in a projection needs an object');
  const matcher = compileFilter(new Map([['element', new Map<string, Value>([['$elemMatch', operand]])]]));
  return (value) => {
    if (!Array.isArray(value)) return undefined;
    const found = value.find((element) => matcher.test(new Map([['element', [element]]])));
    return found === undefined ? undefined : [found];
  };
}
