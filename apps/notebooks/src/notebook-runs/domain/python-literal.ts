import { exactNumberText } from '@platform-backend/core';
import type { Json } from '../../notebooks/domain/json.ts';

/** A JSON value as Python writes it. */
export function pythonLiteral(value: Json): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const number = exactNumberText(value);
  // Python knows no number of this size, and reads it as infinite too.
  if (number !== undefined) return number;
  if (Object.is(value, -0)) return '-0.0';
  // Every text of JSON is one of Python.
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  const entries = Object.entries(value as Readonly<Record<string, Json>>);
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}: ${pythonLiteral(one)}`).join(', ')}}`;
}
