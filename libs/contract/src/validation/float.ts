import { FloatNumber } from './input-value.ts';
import { Problem } from './problem.ts';

const notAFloat = new Problem('float_type', 'Input should be a valid number');
const notParsable = new Problem('float_parsing', 'Input should be a valid number, unable to parse string as a number');
const notFinite = new Problem('finite_number', 'Input should be a finite number');

const floatText = /^[-+]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:[eE][-+]?\d+)?$/;

/** A finite number from a number, a boolean or text. */
export function readFloat(value: unknown): number | Problem {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof FloatNumber) return finite(value.value);
  if (typeof value === 'number' || typeof value === 'bigint') return finite(Number(value));
  if (typeof value !== 'string') return notAFloat;
  const text = value.trim();
  return floatText.test(text) ? finite(Number(text.replaceAll('_', ''))) : notParsable;
}

function finite(value: number): number | Problem {
  return Number.isFinite(value) ? value : notFinite;
}
