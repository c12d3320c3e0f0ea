import { FloatNumber, type InputValue } from './input-value.ts';

/** Why a text is not JSON, in the words of Python's parser; `at` counts code points. */
export class JsonError {
  readonly message: string;
  readonly at: number;

  constructor(message: string, at: number) {
    this.message = message;
    this.at = at;
  }
}

/** The text is nested deeper than we read. */
export const nestedTooDeep = Symbol('nested too deep');

/** Containers inside containers: more is refused before any rule looks at a value. Nobody takes more than these. */
export const MAX_NESTING = 64;

class Refusal extends Error {
  readonly reason: JsonError | typeof nestedTooDeep;

  constructor(reason: JsonError | typeof nestedTooDeep) {
    super();
    this.reason = reason;
  }
}

/**
 * Reads a JSON text exactly: every integer keeps its digits, a float stays apart from an integer,
 * and what is wrong is told as Python 3.11 tells it. Several times slower than JSON.parse, so it
 * runs only where JSON.parse refuses or cannot be exact.
 *
 * Stricter than Python on purpose: NaN, Infinity, numbers beyond a double's range and halves of
 * surrogate pairs are errors. They are told only when the text is JSON otherwise.
 */
export function scanJson(text: string, maxNesting = MAX_NESTING): InputValue | JsonError | typeof nestedTooDeep {
  try {
    return new Scanner(text, maxNesting).scan();
  } catch (error) {
    if (error instanceof Refusal) return error.reason;
    throw error;
  }
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const greatE = 0x45;
const smallE = 0x65;
/** Any number of so many digits is an exact double. */
const shortDigits = 15;

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const words: ReadonlyMap<string, [string, InputValue]> = new Map([
  ['n', ['null', null]],
  ['t', ['true', true]],
  ['f', ['false', false]],
]);

const number = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y;
const constant = /NaN|-?Infinity/y;
const fourHex = /^[\da-fA-F]{4}$/;

class Scanner {
  readonly #text: string;
  readonly #maxNesting: number;
  #at = 0;
  #depth = 0;
  /** The first thing that Python would read and we do not. */
  #deviation: JsonError | undefined;

  constructor(text: string, maxNesting: number) {
    this.#text = text;
    this.#maxNesting = maxNesting;
  }

  scan(): InputValue | JsonError {
    this.#skipSpaces();
    const value = this.#value();
    this.#skipSpaces();
    if (this.#at < this.#text.length) this.#fail('Extra data');
    return this.#deviation ?? value;
  }

  #value(): InputValue {
    const code = this.#text.charCodeAt(this.#at);
    if (code === quote) return this.#string();
    if (code === openBrace || code === openBracket) return this.#container(code);
    if (code >= zero && code <= nine) return this.#shortInteger() ?? this.#number();
    const [word, value] = words.get(this.#text.charAt(this.#at)) ?? [];
    if (word !== undefined && value !== undefined && this.#text.startsWith(word, this.#at)) {
      this.#at += word.length;
      return value;
    }
    return this.#constant() ?? this.#number();
  }

  #container(opening: number): InputValue {
    if (++this.#depth > this.#maxNesting) throw new Refusal(nestedTooDeep);
    this.#at++;
    this.#skipSpaces();
    const value = opening === openBrace ? this.#object() : this.#array();
    this.#depth--;
    return value;
  }

  /** A positive integer of so few digits that it is exact, which most numbers are; else nothing is read. */
  #shortInteger(): number | undefined {
    const from = this.#at;
    let to = from;
    let value = 0;
    let code = this.#text.charCodeAt(to);
    for (; code >= zero && code <= nine && to - from < shortDigits; code = this.#text.charCodeAt(++to)) {
      value = 10 * value + (code - zero);
    }
    const startsWithZero = to - from > 1 && this.#text.charCodeAt(from) === zero;
    const goesOn = (code >= zero && code <= nine) || code === point || code === smallE || code === greatE;
    if (startsWithZero || goesOn) return undefined;
    this.#at = to;
    return value;
  }

  #object(): InputValue {
    const object: Record<string, InputValue> = {};
    if (this.#take(closeBrace)) return object;
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== quote) this.#fail('Expecting property name enclosed in double quotes');
      const key = this.#string();
      this.#skipSpaces();
      if (!this.#take(colon)) this.#fail("Expecting ':' delimiter");
      this.#skipSpaces();
      define(object, key, this.#value());
      this.#skipSpaces();
      if (this.#take(closeBrace)) return object;
      if (!this.#take(comma)) this.#fail("Expecting ',' delimiter");
      this.#skipSpaces();
    }
  }

  #array(): InputValue {
    const array: InputValue[] = [];
    if (this.#take(closeBracket)) return array;
    for (;;) {
      array.push(this.#value());
      this.#skipSpaces();
      if (this.#take(closeBracket)) return array;
      if (!this.#take(comma)) this.#fail("Expecting ',' delimiter");
      this.#skipSpaces();
    }
  }

  #string(): string {
    const begin = this.#at++;
    let value = '';
    for (;;) {
      const plain = this.#plainRun(begin);
      value += plain;
      if (this.#take(quote)) break;
      this.#at++;
      if (this.#at >= this.#text.length) this.#fail('Unterminated string starting at', begin);
      value += this.#escape();
    }
    if (!value.isWellFormed()) this.#deviate('Unpaired surrogate in string starting at', begin);
    return value;
  }

  /** The text up to the next quote or backslash. */
  #plainRun(begin: number): string {
    const from = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === quote || code === backslash) return this.#text.slice(from, this.#at);
      if (code < 0x20) this.#fail('Invalid control character at');
    }
    return this.#fail('Unterminated string starting at', begin);
  }

  /** One escape; `#at` is behind its backslash. */
  #escape(): string {
    const letter = this.#text.charAt(this.#at);
    if (letter !== 'u') {
      const character = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
      if (character === undefined) return this.#fail('Invalid \\escape', this.#at - 1);
      this.#at++;
      return character;
    }
    const digits = this.#text.slice(this.#at + 1, this.#at + 5);
    // Python wants one more character behind the digits.
    if (!fourHex.test(digits) || this.#at + 5 >= this.#text.length) this.#fail('Invalid \\uXXXX escape');
    this.#at += 5;
    const unit = String.fromCharCode(parseInt(digits, 16));
    return this.#pairsUp(unit) ? unit + this.#lowHalf() : unit;
  }

  #pairsUp(unit: string): boolean {
    return /[\ud800-\udbff]/.test(unit) && this.#at + 6 < this.#text.length && this.#text.startsWith('\\u', this.#at);
  }

  /** The second of two escapes, when it completes a pair; else it is left for later. */
  #lowHalf(): string {
    const digits = this.#text.slice(this.#at + 2, this.#at + 6);
    if (!fourHex.test(digits)) this.#fail('Invalid \\uXXXX escape', this.#at + 1);
    const unit = String.fromCharCode(parseInt(digits, 16));
    if (!/[\udc00-\udfff]/.test(unit)) return '';
    this.#at += 6;
    return unit;
  }

  #constant(): InputValue | undefined {
    constant.lastIndex = this.#at;
    const found = constant.exec(this.#text);
    if (!found) return undefined;
    this.#deviate('Expecting value', this.#at);
    this.#at += found[0].length;
    return 0;
  }

  #number(): InputValue {
    number.lastIndex = this.#at;
    const found = number.exec(this.#text);
    if (!found) return this.#fail('Expecting value');
    const [digits, fraction, exponent] = found;
    const value = Number(digits);
    const begin = this.#at;
    this.#at += digits.length;
    if (!Number.isFinite(value)) {
      this.#deviate('Number out of range', begin);
      return 0;
    }
    if (fraction !== undefined || exponent !== undefined) return new FloatNumber(value);
    return Number.isSafeInteger(value) ? value + 0 : BigInt(digits);
  }

  #take(code: number): boolean {
    if (this.#text.charCodeAt(this.#at) !== code) return false;
    this.#at++;
    return true;
  }

  #skipSpaces(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #deviate(message: string, at: number): void {
    this.#deviation ??= new JsonError(message, this.#codePoints(at));
  }

  #fail(message: string, at: number = this.#at): never {
    throw new Refusal(new JsonError(message, this.#codePoints(at)));
  }

  #codePoints(at: number): number {
    let count = 0;
    for (let index = 0; index < at; index++) {
      if ((this.#text.charCodeAt(index) & 0xfc00) === 0xdc00 && (this.#text.charCodeAt(index - 1) & 0xfc00) === 0xd800)
        continue;
      count++;
    }
    return count;
  }
}

/** `__proto__` is a key like any other, never the prototype. */
function define(object: Record<string, InputValue>, key: string, value: InputValue): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}
