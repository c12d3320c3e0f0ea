import type { Operation } from '../operations.ts';

/** Where an answer says that what was made is found: the value of its header Location; undefined where the contract names none. */
export function locationReader({ http, responseType }: Operation): ((message: Buffer) => string) | undefined {
  const path = http?.location;
  if (path === undefined) return undefined;
  return (bytes) => {
    const message = responseType.decode(bytes) as unknown as Readonly<Record<string, unknown>>;
    return path.replaceAll(/\{(\w+)(=\*\*)?\}/g, (_, name: string, isDeep?: string) => {
      const value = encodeURIComponent(String(message[name]));
      // Each `/` in it begins another segment.
      return isDeep === undefined ? value : value.replaceAll('%2F', '/');
    });
  };
}
