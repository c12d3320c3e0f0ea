const KEY = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}(?:\/[A-Za-z0-9][A-Za-z0-9._-]{0,199})*$/;
const MAX_LENGTH = 500;

/** Keys are made by services, never by their callers: one of another form is a defect. */
export function requireKey(key: string): string {
  if (key.length > MAX_LENGTH || !KEY.test(key)) throw new Error(`no key of an object: ${key.slice(0, MAX_LENGTH)}`);
  return key;
}

/** @throws Error unless it ends where a part of a key ends. */
export function requirePrefix(prefix: string): string {
  if (!prefix.endsWith('/')) throw new Error(`no prefix of keys: ${prefix}`);
  requireKey(prefix.slice(0, -1));
  return prefix;
}
