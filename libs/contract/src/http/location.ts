import type { Operation } from '../operations.ts';

/** Where an answer says that what was made is found: the value of its header Location; undefined where the contract names none. */
export function locationReader({ http, responseType }: Operation): ((message: Buffer) => string) | undefined {
  const path = http?.location;
  if (path === undefined) return undefined;
  return (bytes) => {
    const message = responseType.decode(bytes) as unknown as Readonly<Record<string, unknown>>;
    return path.replaceAll(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(String(message[name])));
  };
}
