import { types } from 'node:util';
import { isSecretName, REDACTED, withoutSecrets } from './secrets.ts';

/** What may stand in a log line: JSON, of a bounded size, without secrets. */
export type Loggable = string | number | boolean | null | Loggable[] | LoggableFields;
export interface LoggableFields {
  [name: string]: Loggable;
}

export interface LoggableBounds {
  /** Characters of all texts and names together; other values count as a few. */
  readonly total: number;
  /** Characters of one text. */
  readonly text: number;
}

const USUAL_BOUNDS: LoggableBounds = { total: 16_384, text: 8_192 };
const MAX_ENTRIES = 100;
const MAX_NAME = 128;
const MAX_LEVELS = 10;
const MAX_INTEGER = 10n ** 100n;

/** A copy of anything at all that can be logged. It never throws, and looks at no more of it than the bounds allow. */
export function loggable(value: unknown, bounds = USUAL_BOUNDS): Loggable | undefined {
  return new Copy(bounds).of(value);
}

/** The same of the fields of a line; what is no object stands under `value`. */
export function loggableFields(value: object, bounds = USUAL_BOUNDS): LoggableFields {
  const copy = loggable(value, bounds);
  return typeof copy === 'object' && copy !== null && !Array.isArray(copy) ? copy : { value: copy ?? null };
}

class Copy {
  readonly #maxText: number;
  #left: number;
  /** The objects in which the present one is. */
  readonly #above: object[] = [];

  constructor({ total, text }: LoggableBounds) {
    this.#left = total;
    this.#maxText = text;
  }

  of(value: unknown): Loggable | undefined {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'number':
        this.#left -= 24;
        return Number.isFinite(value) ? value : String(value);
      case 'boolean':
        this.#left -= 5;
        return value;
      case 'bigint':
        return this.#text(-MAX_INTEGER < value && value < MAX_INTEGER ? String(value) : '[large integer]');
      case 'symbol':
        return this.#text(String(value));
      case 'function':
        return this.#text('[function]');
      case 'object':
        this.#left -= 5;
        return value === null ? null : this.#object(value);
      case 'undefined':
        return undefined;
    }
  }

  #text(text: string): string {
    const maxLength = Math.min(this.#maxText, Math.max(this.#left, 0));
    const beyond = text.length - maxLength;
    const shown = withoutSecrets(beyond > 0 ? `${text.slice(0, maxLength)}[${String(beyond)} more characters]` : text);
    this.#left -= shown.length + 3;
    return shown;
  }

  #object(value: object): Loggable | undefined {
    if (types.isProxy(value)) return this.#text('[proxy]');
    if (this.#above.includes(value)) return this.#text('[circular]');
    if (this.#above.length === MAX_LEVELS) return this.#text('[too deep]');
    this.#above.push(value);
    try {
      return this.#contents(value);
    } catch {
      return this.#text('[unreadable]');
    } finally {
      this.#above.pop();
    }
  }

  #contents(value: object): Loggable | undefined {
    if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) {
      return this.#text(`[${String(value.byteLength)} bytes]`);
    }
    if (types.isDate(value)) return this.#text(timeOf(value));
    if (isError(value)) return this.#fields(partsOfError(value));
    if (Array.isArray(value)) return this.#list(value);
    if (types.isSet(value)) return this.#list(Set.prototype.values.call(value));
    if (types.isMap(value)) return this.#fields(Map.prototype.entries.call(value));
    if (types.isBoxedPrimitive(value)) return this.of(value.valueOf());
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      const said = (value.toJSON as () => unknown)();
      if (said !== value) return this.of(said);
    }
    return this.#fields(partsOf(value));
  }

  #list(items: Iterable<unknown>): Loggable[] {
    const list: Loggable[] = [];
    for (const item of items) {
      if (this.#isFull(list.length)) {
        list.push(this.#text('[more]'));
        break;
      }
      this.#left -= 5;
      list.push(this.of(item) ?? null);
    }
    return list;
  }

  #fields(parts: Iterable<readonly [unknown, unknown]>): LoggableFields {
    const fields: LoggableFields = {};
    let entries = 0;
    for (const [key, value] of parts) {
      if (this.#isFull(entries)) {
        fields['[more]'] = true;
        break;
      }
      entries += 1;
      if (value === undefined) continue;
      const name = nameOf(key);
      this.#left -= name.length + 3;
      const shown = isSecretName(name) ? this.#text(REDACTED) : this.of(value);
      if (shown !== undefined) fields[name] = shown;
    }
    return fields;
  }

  #isFull(entries: number): boolean {
    return entries >= MAX_ENTRIES || this.#left <= 0;
  }
}

function* partsOf(value: object): Generator<[string, unknown]> {
  for (const name of Object.keys(value)) yield [name, partOf(value, name)];
}

/** What an error has to say first; then what else is known of it, and what led to it. */
function* partsOfError(error: Error): Generator<[string, unknown]> {
  yield ['type', partOf(partOf(error, 'constructor') as object, 'name')];
  yield ['message', partOf(error, 'message')];
  yield ['stack', partOf(error, 'stack')];
  for (const part of partsOf(error)) if (!STANDARD_PARTS.has(part[0])) yield part;
  for (const name of ['cause', 'errors']) if (Object.hasOwn(error, name)) yield [name, partOf(error, name)];
}

const STANDARD_PARTS: ReadonlySet<string> = new Set(['type', 'message', 'stack', 'cause', 'errors']);

/** A getter may throw. */
function partOf(value: object, name: string): unknown {
  try {
    return (value as Record<string, unknown>)[name];
  } catch {
    return '[unreadable]';
  }
}

function nameOf(key: unknown): string {
  const name = typeof key === 'string' ? key : typeof key === 'number' ? String(key) : `[${typeof key}]`;
  // The one name that is no field when it is written.
  if (name === '__proto__') return '[__proto__]';
  return withoutSecrets(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}[more]` : name);
}

function timeOf(date: Date): string {
  const time = Date.prototype.getTime.call(date);
  return Number.isNaN(time) ? '[invalid date]' : new Date(time).toISOString();
}

/** Also errors of another realm, and what only inherits from Error. */
export function isError(value: unknown): value is Error {
  try {
    if (types.isProxy(value)) return false;
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
}
