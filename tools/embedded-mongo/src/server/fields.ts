import { toInteger } from '../bson/numbers.ts';
import { isDocument, isNumeric, typeOf, type Document, type Value } from '../bson/values.ts';
import { notImplemented, ServerError, typeMismatch } from '../errors.ts';

/** What drivers add to any command. */
const GENERIC = new Set(
  `$db lsid txnNumber autocommit startTransaction stmtId stmtIds readConcern writeConcern maxTimeMS comment $readPreference
  $clusterTime apiVersion apiStrict apiDeprecationErrors`.split(/\s+/),
);

const wrongType = (name: string, value: Value, wanted: string): ServerError =>
  typeMismatch(`BSON field '${name}' is the wrong type '${typeOf(value)}', expected type '${wanted}'`);

/** The fields of a command; whatever is not read by name is refused. */
export class Fields {
  readonly #document: Document;
  readonly #what: string;

  constructor(document: Document, what: string) {
    this.#document = document;
    this.#what = what;
  }

  /** Refuses what is not in the list. Of what MongoDB has, `without` is what this server does without. */
  only(known: string, without = ''): this {
    const names = known.split(' ');
    for (const [name, value] of this.#document) {
      if (names.includes(name) || GENERIC.has(name)) continue;
      if (name === 'collation' && isSimple(value)) continue;
      if (name === 'collation' || without.split(' ').includes(name)) {
        if (value !== false) throw notImplemented(`${this.#what}.${name}`);
      } else throw new ServerError(40415, `BSON field '${this.#what}.${name}' is an unknown field.`);
    }
    return this;
  }

  get(name: string): Value | undefined {
    const value = this.#document.get(name);
    return value === null ? undefined : value;
  }

  text(name: string): string {
    const value = this.#document.get(name);
    if (typeof value !== 'string') throw wrongType(`${this.#what}.${name}`, value ?? null, 'string');
    return value;
  }

  document(name: string): Document {
    const value = this.get(name);
    if (value === undefined) return new Map();
    if (!isDocument(value)) throw wrongType(`${this.#what}.${name}`, value, 'object');
    return value;
  }

  list(name: string): readonly Value[] {
    const value = this.get(name);
    if (!Array.isArray(value)) throw wrongType(`${this.#what}.${name}`, value ?? null, 'array');
    return value;
  }

  documents(name: string): readonly Document[] {
    return this.list(name).map((each) => {
      if (!isDocument(each)) throw wrongType(`${this.#what}.${name}`, each, 'object');
      return each;
    });
  }

  /** A whole number; zero where there is none. */
  number(name: string, otherwise = 0): number {
    const value = this.get(name);
    if (value === undefined) return otherwise;
    const number = isNumeric(value) ? toInteger(value) : undefined;
    if (number === undefined) throw wrongType(`${this.#what}.${name}`, value, 'long');
    return Number(number);
  }

  flag(name: string, otherwise = false): boolean {
    const value = this.get(name);
    if (value === undefined) return otherwise;
    if (typeof value === 'boolean') return value;
    if (isNumeric(value)) return Number(toInteger(value) ?? 1n) !== 0;
    throw wrongType(`${this.#what}.${name}`, value, 'bool');
  }
}

const isSimple = (collation: Value): boolean =>
  collation === null || (isDocument(collation) && (collation.size === 0 || collation.get('locale') === 'simple'));
