import type { KnownEncoder } from './encoder-identity.ts';

/** Which encoders have made vectors, of all organisations together. */
export interface EncoderRegister {
  /** In the order in which they came. */
  known(): Promise<readonly KnownEncoder[]>;
  /** False: another one is stored under that name. */
  add(encoder: KnownEncoder): Promise<boolean>;
  noteDimensions(storedAs: string, dimensions: number): Promise<void>;
  /** How many dimensions the vectors have that are stored under one of these names; undefined: there are none. */
  dimensionsOf(names: readonly string[]): Promise<number | undefined>;
}
