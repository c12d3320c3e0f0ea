/**
 * Reads a JSON text whose numbers JSON.stringify writes again as they were. Those that it would write in another way, or not
 * at all, are made by JSON.rawJSON and are no `number`: `1.0`, `-0.0`, `1e500`, integers beyond 2^53. Neither is what
 * `structuredClone` makes of them a number. Throws a SyntaxError on what is no JSON.
 */
export function parseExactJson(text: string): unknown {
  if (!MAY_NEED_TEXT.test(text)) return JSON.parse(text);
  return parseWithSource(text, (_key, value, context) => {
    if (typeof value !== 'number' || context?.source === undefined) return value;
    return String(value) === context.source ? value : rawJson(context.source);
  });
}

/** The text of a number that `parseExactJson` has kept. */
export function exactNumberText(value: unknown): string | undefined {
  return isRawJson(value) && /^-?\d/.test(value.rawJSON) ? value.rawJSON : undefined;
}

/** A fraction, an exponent, many digits or a negative zero; a text within may look like them. */
const MAY_NEED_TEXT = /\d[.eE]|\d{16}|-0/;

interface RawJson {
  readonly rawJSON: string;
}

// What Node 24 knows of JSON and TypeScript's types do not.
type Reviver = (key: string, value: unknown, context?: { readonly source?: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;
const { rawJSON: rawJson, isRawJSON: isRawJson } = JSON as unknown as {
  readonly rawJSON: (text: string) => RawJson;
  readonly isRawJSON: (value: unknown) => value is RawJson;
};
