import { Binary, BSONRegExp, Code, MaxKey, MinKey, Timestamp } from 'bson';
import { isDocument, type Value } from './values.ts';

/** How a message shows a value. */
export function shown(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (isDocument(value)) return `{ ${[...value].map(([name, inner]) => `${name}: ${shown(inner)}`).join(', ')} }`;
  if (Array.isArray(value)) return `[ ${value.map(shown).join(', ')} ]`;
  if (value instanceof Date) return `new Date(${value.getTime()})`;
  if (value instanceof Binary) return `BinData(${value.sub_type}, ${value.toString('hex')})`;
  if (value instanceof Code) return value.code;
  if (value instanceof BSONRegExp) return `/${value.pattern}/${value.options}`;
  if (value instanceof MinKey || value instanceof MaxKey) return value._bsontype;
  if (value instanceof Timestamp) return `Timestamp(${value.toBigInt()})`;
  return value === null ? 'null' : value.toString();
}
