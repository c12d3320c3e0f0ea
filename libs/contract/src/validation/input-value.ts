import { pythonFloat } from './python-text.ts';

/**
 * A number that was written with a fraction or an exponent. Only the exact reader makes these;
 * it needs them because 5 and 5.0 are different values to some rules and in an echoed input.
 */
export class FloatNumber {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toJSON(): unknown {
    return rawJson(pythonFloat(this.value));
  }
}

/**
 * What a JSON text says. The fast reader answers plain numbers only; the exact one answers
 * `number` for safe integers, `bigint` for greater ones and `FloatNumber` for the rest.
 */
export type InputValue = null | boolean | string | number | bigint | FloatNumber | InputValue[] | InputObject;

export interface InputObject {
  [key: string]: InputValue;
}

export function isInputObject(value: unknown): value is InputObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isNumberObject(value);
}

/** A number that is not of JavaScript's own kinds. */
export const isNumberObject = (value: unknown): boolean => value instanceof FloatNumber || isExactNumber(value);

/** A number whose text is kept, made by JSON.rawJSON. */
export interface ExactNumber {
  readonly rawJSON: string;
}

/** Nothing else that JSON.rawJSON makes is a number. */
export function isExactNumber(value: unknown): value is ExactNumber {
  return isRawJson(value) && /^-?\d/.test(value.rawJSON);
}

const isRawJson = (JSON as unknown as { isRawJSON: (value: unknown) => value is ExactNumber }).isRawJSON;

/** Text that JSON.stringify writes as it is: the only way to show an integer beyond 2^53 exactly. */
export function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
