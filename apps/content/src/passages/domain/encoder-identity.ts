import type { Prefixes } from './embeddings.ts';

/** Vectors of encoders that differ in any of it cannot be compared. */
export interface EncoderIdentity {
  readonly name: string;
  /** `local`, or the host of the API: one name may be another model elsewhere. Absent: nobody has noted it. */
  readonly endpoint?: string | undefined;
  /** Of its vectors; absent: it has not answered yet. */
  readonly dimensions?: number | undefined;
  readonly prefixes: Prefixes;
}

/** An encoder by the name that its vectors are stored under. */
export interface KnownEncoder extends EncoderIdentity {
  readonly storedAs: string;
}

export const LOCAL_ENDPOINT = 'local';

/** How many dimensions there are may be unknown of either. */
export const isSameEncoder = (one: EncoderIdentity, other: EncoderIdentity): boolean =>
  one.name === other.name &&
  one.endpoint === other.endpoint &&
  one.prefixes.question === other.prefixes.question &&
  one.prefixes.passage === other.prefixes.passage &&
  (one.dimensions === undefined || other.dimensions === undefined || one.dimensions === other.dimensions);

/** Whether vectors from before, of which nothing but the name was noted, may be this one's: it had no prefixes then. */
export const mayHaveMade = ({ prefixes, dimensions }: EncoderIdentity, ofVectors: number): boolean =>
  prefixes.question === '' && prefixes.passage === '' && (dimensions === undefined || dimensions === ofVectors);

/** The first of a name is stored under it, as before; each further one under another. */
export function nameToStore(name: string, known: readonly KnownEncoder[]): string {
  const taken = new Set(known.map(({ storedAs }) => storedAs));
  let storedAs = name;
  for (let number = 2; taken.has(storedAs); number += 1) storedAs = `${name}@${String(number)}`;
  return storedAs;
}
