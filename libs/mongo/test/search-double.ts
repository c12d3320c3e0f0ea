import { mongo } from 'mongoose';
import { isDeepStrictEqual } from 'node:util';
import { Refusal } from './mongo-proxy.ts';

type Fields = Readonly<Record<string, unknown>>;

interface DoubleIndex {
  readonly id: string;
  readonly name: string;
  readonly type: 'search' | 'vectorSearch';
  readonly definition: Fields;
  readonly readyAt: number;
}

/** How far its indexes are behind the collection. */
const LAG_MS = 50;

const MAX_CANDIDATES = 10_000;

/** What a filter of `$vectorSearch` may have. */
const OPERATORS = new Set([
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$exists',
  '$not',
  '$nor',
  '$and',
  '$or',
]);

/** Search of MongoDB over the collections of a server without it, in the part that the platform uses and as strict. */
export class SearchDouble {
  readonly #client: mongo.MongoClient;
  readonly #buildsForMs: number;
  /** By database and collection. */
  readonly #indexes = new Map<string, DoubleIndex[]>();
  readonly #copied = new Map<string, { at: number; done: Promise<void> }>();

  constructor(client: mongo.MongoClient, buildsForMs: number) {
    this.#client = client;
    this.#buildsForMs = buildsForMs;
  }

  async create(database: string, collection: string, asked: unknown): Promise<object> {
    const exists = await this.#client.db(database).listCollections({ name: collection }).hasNext();
    if (!exists) throw new Refusal(26, `Collection '${database}.${collection}' does not exist.`);
    const present = this.#of(database, collection);
    const created = (asked as Omit<DoubleIndex, 'id' | 'readyAt'>[]).map(({ name, type, definition }) => {
      const same = present.find((index) => index.name === name);
      if (same && !isDeepStrictEqual(same.definition, definition)) throw new Refusal(68, 'Duplicate Index');
      if (same) return same;
      checkDefinition(type, definition);
      const readyAt = Date.now() + this.#buildsForMs;
      const index = { id: new mongo.ObjectId().toHexString(), name, type, definition, readyAt };
      present.push(index);
      return index;
    });
    return { indexesCreated: created.map(({ id, name }) => ({ id, name })) };
  }

  /** Undefined: a pipeline that any server understands. */
  async aggregate(
    database: string,
    collection: string,
    stage: string,
    pipeline: readonly object[],
  ): Promise<readonly object[] | undefined> {
    const [first, ...rest] = pipeline as Record<string, Fields>[];
    const operand = first?.[stage] ?? {};
    if (stage === '$listSearchIndexes') return this.#list(database, collection, operand);
    if (stage !== '$vectorSearch' && stage !== '$search' && stage !== '$searchMeta') return undefined;
    const type = stage === '$vectorSearch' ? 'vectorSearch' : 'search';
    const index = this.#of(database, collection).find((one) => one.name === operand['index'] && one.type === type);
    // An index that is not there is one without documents.
    if (!index || index.readyAt > Date.now()) return stage === '$searchMeta' ? [{ count: { total: 0 } }] : [];
    const copy = await this.#copy(database, collection);
    const found =
      type === 'search' ? await byWords(copy, index.definition, operand) : await byVector(copy, index, operand);
    if (stage === '$searchMeta') return [counted(operand, found)];
    return projected(found, rest, stage === '$search' ? 'searchScore' : 'vectorSearchScore');
  }

  async close(): Promise<void> {
    const databases = new Set([...this.#copied.keys()].map((key) => key.split('.')[0] ?? ''));
    await Promise.all([...this.#copied.values()].map(({ done }) => done));
    for (const database of databases) await this.#client.db(copyOf(database)).dropDatabase();
  }

  #of(database: string, collection: string): DoubleIndex[] {
    const key = `${database}.${collection}`;
    const present = this.#indexes.get(key) ?? [];
    this.#indexes.set(key, present);
    return present;
  }

  #list(database: string, collection: string, { name }: Fields): object[] {
    return this.#of(database, collection)
      .filter((index) => name === undefined || index.name === name)
      .map(({ id, name: own, type, definition, readyAt }) => {
        const queryable = readyAt <= Date.now();
        const status = queryable ? 'READY' : 'BUILDING';
        return { id, name: own, type, status, queryable, latestVersion: 0, latestDefinition: definition };
      });
  }

  /** The collection as it was some moments ago. */
  async #copy(database: string, collection: string): Promise<mongo.Collection> {
    const key = `${database}.${collection}`;
    const copy = this.#client.db(copyOf(database)).collection(collection);
    const copied = this.#copied.get(key);
    if (!copied || copied.at + LAG_MS < Date.now()) {
      const done = (copied?.done ?? Promise.resolve()).then(async () => {
        const documents = await this.#client.db(database).collection(collection).find().toArray();
        await copy.deleteMany({});
        if (documents.length > 0) await copy.insertMany(documents);
      });
      this.#copied.set(key, { at: Date.now(), done });
    }
    await this.#copied.get(key)?.done;
    return copy;
  }
}

const copyOf = (database: string): string => `${database}_search`;

interface Scored {
  readonly document: Fields;
  readonly score: number;
}

function checkDefinition(type: string, { fields, mappings }: Fields): void {
  if (type === 'search' && typeof mappings !== 'object') throw new Refusal(9, '"mappings" is required');
  if (type !== 'vectorSearch') return;
  for (const { type: kind, path, numDimensions, similarity } of fields as Fields[]) {
    const isVector = kind === 'vector' && Number(numDimensions) > 0 && Number(numDimensions) <= 8192;
    const isKnown = isVector ? ['euclidean', 'cosine', 'dotProduct'].includes(String(similarity)) : kind === 'filter';
    if (typeof path !== 'string' || !isKnown) throw new Refusal(9, `"fields" has something unknown: ${String(path)}`);
  }
}

async function byVector(copy: mongo.Collection, { definition }: DoubleIndex, operand: Fields): Promise<Scored[]> {
  const { path, queryVector, numCandidates, limit, filter = {}, exact } = operand;
  const fields = definition['fields'] as Fields[];
  const vector = fields.find((field) => field['type'] === 'vector' && field['path'] === path);
  if (!vector) throw new Refusal(8, `Path '${String(path)}' needs to be indexed as vector`);
  if (exact !== true && !(Number(numCandidates) >= Number(limit) && Number(numCandidates) <= MAX_CANDIDATES))
    throw new Refusal(8, '"numCandidates" must be within bounds [limit, 10000]');
  const asked = vectorIn(queryVector);
  if (!asked || asked.length !== vector['numDimensions'])
    throw new Refusal(
      8,
      `vector field is indexed with ${String(vector['numDimensions'])} dimensions but queried with others`,
    );
  const filterable = fields.filter((field) => field['type'] === 'filter').map((field) => String(field['path']));
  checkFilter(filter as Fields, filterable);
  const scored: Scored[] = [];
  for await (const document of copy.find(filter as Fields)) {
    const own = vectorIn((document as Fields)[String(path)]);
    // What has another length is not in the index.
    if (own?.length === asked.length) scored.push({ document, score: (1 + cosine(asked, own)) / 2 });
  }
  return scored.toSorted((one, other) => other.score - one.score).slice(0, Number(limit));
}

function checkFilter(filter: Fields, paths: readonly string[]): void {
  for (const [name, operand] of Object.entries(filter)) {
    if (!name.startsWith('$')) {
      if (!paths.includes(name)) throw new Refusal(8, `Path '${name}' needs to be indexed as filter`);
      const operators = typeof operand === 'object' && operand?.constructor === Object ? Object.keys(operand) : [];
      const unknown = operators.find((operator) => !OPERATORS.has(operator));
      if (unknown !== undefined) throw new Refusal(8, `Operator ${unknown} is not supported in filters`);
      for (const [operator, values] of Object.entries(operators.length > 0 ? (operand as Fields) : {}))
        if (Array.isArray(values) && values.length === 0) throw new Refusal(8, `"${operator}" cannot be empty`);
    } else if (!OPERATORS.has(name)) throw new Refusal(8, `Operator ${name} is not supported in filters`);
    else for (const inner of operand as Fields[]) checkFilter(inner, paths);
  }
}

/** An array of numbers, or binary of the kind 9 with 32-bit floats. */
function vectorIn(value: unknown): Float32Array | undefined {
  if (Array.isArray(value)) return Float32Array.from(value as number[]);
  const isVector = value instanceof mongo.Binary && value.sub_type === mongo.Binary.SUBTYPE_VECTOR;
  return isVector ? value.toFloat32Array() : undefined;
}

function cosine(one: Float32Array, other: Float32Array): number {
  const product = one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  return product / (Math.hypot(...one) * Math.hypot(...other) || 1);
}

/** Which clauses there are of `compound`, each a list of operators. */
const CLAUSES = new Set(['must', 'mustNot', 'should', 'filter', 'minimumShouldMatch']);

async function byWords(copy: mongo.Collection, { mappings }: Fields, operand: Fields): Promise<Scored[]> {
  const types = (mappings as { fields: Record<string, Fields> }).fields;
  const { compound } = operand as { compound?: Compound };
  if (!compound || Object.keys(compound).some((clause) => !CLAUSES.has(clause)))
    throw new Refusal(8, 'the double knows of $search by compound alone');
  const scored: Scored[] = [];
  for await (const document of copy.find()) {
    const score = scoreOfCompound(document, compound, types);
    if (score !== undefined) scored.push({ document, score });
  }
  return scored.toSorted((one, other) => other.score - one.score);
}

interface Compound {
  readonly must?: readonly Fields[];
  readonly should?: readonly Fields[];
  readonly filter?: readonly Fields[];
  readonly mustNot?: readonly Fields[];
  readonly minimumShouldMatch?: number;
}

/** Undefined: it does not match. */
function scoreOfCompound(
  document: Fields,
  { must = [], should = [], filter = [], mustNot = [], minimumShouldMatch = 0 }: Compound,
  types: Readonly<Record<string, Fields>>,
): number | undefined {
  const scores = (operators: readonly Fields[]) => operators.map((operator) => scoreOf(document, operator, types));
  const isWanted = [...scores(must), ...scores(filter)].every((score) => score > 0);
  const met = scores(should).filter((score) => score > 0).length;
  const hasAny = must.length + filter.length > 0 || met > 0;
  if (!isWanted || !hasAny || met < minimumShouldMatch || scores(mustNot).some((score) => score > 0)) return undefined;
  return [...scores(must), ...scores(should)].reduce((sum, score) => sum + score, 0);
}

function scoreOf(document: Fields, operator: Fields, types: Readonly<Record<string, Fields>>): number {
  const [[name, operand] = ['', {}]] = Object.entries(operator) as [string, Fields][];
  // As in a filter: that it is met counts, and how often does not.
  if (name === 'compound') return scoreOfCompound(document, operand, types) === undefined ? 0 : 1;
  const paths = [operand['path']].flat().map(String);
  const wanted = name === 'text' || name === 'phrase' ? 'string' : name === 'range' ? 'date' : 'token';
  for (const path of paths)
    if (types[path]?.['type'] !== wanted) throw new Refusal(8, `Path '${path}' needs to be indexed as ${wanted}`);
  const values: unknown[] = paths.flatMap((path) => document[path] ?? []);
  if (name === 'equals') return values.includes(operand['value']) ? 1 : 0;
  if (name === 'in') return values.some((value) => (operand['value'] as readonly unknown[]).includes(value)) ? 1 : 0;
  if (name === 'range') return values.some((value) => isWithin(value, operand)) ? 1 : 0;
  if (name === 'phrase') {
    const said = ` ${wordsOf(String(operand['query'])).join(' ')} `;
    return values.some((value) => ` ${wordsOf(String(value)).join(' ')} `.includes(said)) ? 1 : 0;
  }
  if (name !== 'text') throw new Refusal(8, `the double knows of no operator ${name}`);
  const words = wordsOf(values.join(' '));
  return wordsOf(String(operand['query'])).filter((word) => words.includes(word)).length;
}

/** As MongoDB answers: by `lowerBound` unless `total` is asked for. */
function counted({ count }: Fields, found: readonly Scored[]): object {
  const { type = 'lowerBound' } = (count ?? {}) as { type?: string };
  if (type !== 'total' && type !== 'lowerBound') throw new Refusal(8, `"count.type" cannot be ${type}`);
  return { count: { [type]: found.length } };
}

function isWithin(value: unknown, { gt, gte, lt, lte }: Fields): boolean {
  const numbers = [gt, gte, lt, lte].map((bound) => (bound instanceof Date ? bound.getTime() : undefined));
  const [above = -Infinity, from = -Infinity, below = Infinity, to = Infinity] = numbers;
  const own = value instanceof Date ? value.getTime() : Number.NaN;
  return own > above && own >= from && own < below && own <= to;
}

/** About what an analyser makes of a text in English. */
const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.replace(/(?:ing|e?s)$/, ''));

function projected(found: readonly Scored[], stages: readonly Record<string, Fields>[], meta: string): Fields[] {
  let rows = found;
  let shown: Fields | undefined;
  for (const { $limit, $project, ...others } of stages) {
    if (Object.keys(others).length > 0)
      throw new Refusal(40_324, `the double knows of no ${Object.keys(others).join()}`);
    if ($limit !== undefined) rows = rows.slice(0, Number($limit));
    if ($project) shown = $project;
  }
  return rows.map(({ document, score }) => {
    if (!shown) return document;
    const entries = Object.entries({ _id: 1, ...shown }).flatMap(([name, how]): [string, unknown][] => {
      if (how === 1) return name in document ? [[name, document[name]]] : [];
      return isDeepStrictEqual(how, { $meta: meta }) ? [[name, score]] : [];
    });
    return Object.fromEntries(entries);
  });
}
