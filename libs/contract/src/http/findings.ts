import { FloatNumber, isInputObject, rawJson } from '../validation/input-value.ts';
import { errorItem, type ErrorItem, type Problem } from '../validation/problem.ts';

/** Where a value stood: `["body", "members", 3]`. */
export type Loc = readonly (string | number)[];

/** The keys of an object whose values must not be shown. */
export type Secrets = ReadonlySet<string> | 'everything';

const noSecrets: Secrets = new Set();

/** More findings than this are not reported: a small body must not cause a huge answer. */
const maxItems = 500;
/** Bytes of one echoed input. */
const maxInput = 1024;

/** Collects what is wrong with a request, in the order in which it is found. */
export class Findings {
  readonly items: ErrorItem[] = [];

  add(problem: Problem, loc: Loc, input: unknown, secrets: Secrets = noSecrets): void {
    if (this.items.length >= maxItems) return;
    this.items.push(errorItem(problem, loc.map(shortenedKey), shortened(withoutSecrets(input, secrets))));
  }

  /** Takes the input away from everything found since there were `count` findings. */
  redactSince(count: number): void {
    for (let at = count; at < this.items.length; at++) {
      const item = this.items[at];
      if (item) this.items[at] = { ...item, input: redacted };
    }
  }
}

const redacted = '[redacted]';

function withoutSecrets(input: unknown, secrets: Secrets): unknown {
  if (secrets !== 'everything' && secrets.size === 0) return input;
  if (secrets !== 'everything' && isInputObject(input)) {
    return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, secrets.has(key) ? redacted : value]));
  }
  // Something else instead of the object may still contain the secret somewhere.
  return redacted;
}

/** Keys of maps are the client's own texts. */
function shortenedKey(key: string | number): string | number {
  return typeof key === 'number' || Buffer.byteLength(key) <= maxInput ? key : beginning(key);
}

/** An input as it is, or the beginning of its text when it is long. */
function shortened(input: unknown): unknown {
  if (input === null || typeof input === 'boolean' || typeof input === 'number') return input;
  if (typeof input === 'string') return Buffer.byteLength(input) <= maxInput ? input : beginning(input);
  const shown = withExactNumbers(input);
  const json = JSON.stringify(shown);
  return Buffer.byteLength(json) <= maxInput ? shown : beginning(json);
}

function beginning(text: string): string {
  const bytes = Buffer.from(text.slice(0, maxInput), 'utf8').subarray(0, maxInput);
  // A character that was cut in two shows as U+FFFD.
  return `${bytes.toString('utf8').replace(/\ufffd+$/, '')}…`;
}

/** JSON.stringify shows great integers and floats of the result as the client wrote or Python would write them. */
function withExactNumbers(input: unknown): unknown {
  if (typeof input === 'bigint') return rawJson(String(input));
  if (input instanceof FloatNumber) return input.toJSON();
  if (Array.isArray(input)) return input.map(withExactNumbers);
  if (!isInputObject(input)) return input;
  // Object.fromEntries makes `__proto__` a key like any other.
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, withExactNumbers(value)]));
}
