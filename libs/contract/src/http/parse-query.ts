import { plusDecoded } from './percent-decoding.ts';

/** The values of each name, in order; names and values decoded. */
export type QueryValues = ReadonlyMap<string, readonly string[]>;

const nothing: QueryValues = new Map();

/** Splits a raw query string like Python's `parse_qsl`: only `&` separates, a name alone has an empty value. */
export function parseQuery(raw: string): QueryValues {
  if (raw === '') return nothing;
  const values = new Map<string, string[]>();
  for (const pair of raw.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = plusDecoded(equals === -1 ? pair : pair.slice(0, equals));
    const value = equals === -1 ? '' : plusDecoded(pair.slice(equals + 1));
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}
