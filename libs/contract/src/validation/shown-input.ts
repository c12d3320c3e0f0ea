import { FloatNumber, isInputObject, rawJson } from './input-value.ts';

/** The keys of an object whose values must not be shown. */
export type Secrets = ReadonlySet<string> | 'everything';

export const redacted = '[redacted]';

/** Bytes of one echoed input. */
const maxBytes = 1024;

/** An input as an error shows it: without secrets, as it is or the beginning of its text when it is long. */
export function shownInput(input: unknown, secrets: Secrets): unknown {
  // Something else instead of the object may still contain the secret somewhere.
  if (secrets === 'everything' || (secrets.size > 0 && !isInputObject(input))) return redacted;
  if (input === null || typeof input === 'boolean' || typeof input === 'number') return input;
  if (typeof input === 'string') return shownText(input);
  const json = new BoundedJson();
  json.write(input, secrets);
  return isShort(json.text) ? exactly(input, secrets) : beginning(json.text);
}

/** A text as it is, or its beginning. */
export const shownText = (text: string): string => (isShort(text) ? text : beginning(text));

const isShort = (text: string): boolean => text.length <= maxBytes && Buffer.byteLength(text) <= maxBytes;

function beginning(text: string): string {
  const bytes = Buffer.from(text.slice(0, maxBytes), 'utf8').subarray(0, maxBytes);
  // A character that was cut in two shows as U+FFFD.
  return `${bytes.toString('utf8').replace(/\ufffd+$/, '')}…`;
}

const noSecrets: ReadonlySet<string> = new Set();

/** JSON.stringify shows great integers and floats of the result as the client wrote or Python would write them. */
function exactly(input: unknown, secrets = noSecrets): unknown {
  if (typeof input === 'bigint') return rawJson(String(input));
  if (input instanceof FloatNumber) return input.toJSON();
  if (Array.isArray(input)) return input.map((item) => exactly(item));
  if (!isInputObject(input)) return input;
  // Object.fromEntries makes `__proto__` a key like any other.
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, secrets.has(key) ? redacted : exactly(value)]),
  );
}

/** Writes JSON until there is more of it than is ever shown: what costs is what is shown, not what was sent. */
class BoundedJson {
  text = '';

  write(value: unknown, secrets = noSecrets): void {
    if (Array.isArray(value)) this.#list(value);
    else if (isInputObject(value)) this.#object(value, secrets);
    // Escapes only lengthen a text, so no more of it can be seen than of the result.
    else if (typeof value === 'string') this.text += JSON.stringify(value.slice(0, maxBytes + 2));
    else this.text += typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  }

  get #isFull(): boolean {
    return this.text.length > maxBytes;
  }

  #list(items: readonly unknown[]): void {
    let separator = '[';
    for (const item of items) {
      if (this.#isFull) return;
      this.text += separator;
      this.write(item);
      separator = ',';
    }
    this.text += items.length === 0 ? '[]' : ']';
  }

  #object(object: Readonly<Record<string, unknown>>, secrets: ReadonlySet<string>): void {
    let separator = '{';
    const keys = Object.keys(object);
    for (const key of keys) {
      if (this.#isFull) return;
      this.text += separator;
      this.write(key);
      this.text += ':';
      this.write(secrets.has(key) ? redacted : object[key]);
      separator = ',';
    }
    this.text += keys.length === 0 ? '{}' : '}';
  }
}
