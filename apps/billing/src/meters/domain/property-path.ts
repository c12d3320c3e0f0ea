const path = /^\$(\.[A-Za-z_][A-Za-z0-9_-]{0,63}){1,5}$/;

/** Whether a text names a value in the data of an event: `$.usage.tokens`. */
export const isPath = (text: string): boolean => path.test(text);

/** What stands there; undefined where nothing does. */
export function valueAt(data: Readonly<Record<string, unknown>>, text: string): unknown {
  let value: unknown = data;
  for (const name of text.split('.').slice(1)) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}
