import { FloatNumber } from './input-value.ts';
import { Problem } from './problem.ts';

const notABoolean = new Problem('bool_type', 'Input should be a valid boolean');
const notParsable = new Problem('bool_parsing', 'Input should be a valid boolean, unable to interpret input');

const words: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'on', 't', 'true', 'y', 'yes'].map((word) => [word, true] as const),
  ...['0', 'off', 'f', 'false', 'n', 'no'].map((word) => [word, false] as const),
]);

/** A boolean from itself, 0 or 1, or one of the usual words in any case. */
export function readBoolean(value: unknown): boolean | Problem {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return booleanFromText(value);
  if (typeof value === 'number') return booleanFromNumber(value);
  if (value instanceof FloatNumber) return booleanFromNumber(value.value);
  if (typeof value === 'bigint') return BigInt.asIntN(64, value) === value ? notParsable : notABoolean;
  return notABoolean;
}

function booleanFromText(text: string): boolean | Problem {
  // Only ASCII letters fold: the Kelvin sign is no k.
  const word = text.length <= 5 && /^[\w]+$/.test(text) ? words.get(text.toLowerCase()) : undefined;
  return word ?? notParsable;
}

function booleanFromNumber(value: number): boolean | Problem {
  if (value === 0) return false;
  if (value === 1) return true;
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? notParsable : notABoolean;
}
