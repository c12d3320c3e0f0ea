import type { InferRawDocTypeFromSchema, mongo, Schema } from 'mongoose';

type Value = Date | mongo.Binary | mongo.ObjectId;

/** As it is read, and changed by nobody. Keys that nobody declared, of embedded documents that have none, are left out. */
type Plain<Stored> = Stored extends Value
  ? Stored
  : Stored extends readonly (infer Item)[]
    ? readonly Plain<Item>[]
    : Stored extends object
      ? { readonly [Key in keyof Stored as Key extends '_id' ? Declared<Stored, Key> : Key]: Plain<Stored[Key]> }
      : Stored;

type Declared<Stored, Key extends keyof Stored> = Stored[Key] extends string ? Key : never;

/** What is not required is absent rather than null. */
type WithoutNull<Stored> = Stored extends Value
  ? Stored
  : Stored extends readonly (infer Item)[]
    ? readonly WithoutNull<NonNullable<Item>>[]
    : Stored extends object
      ? {
          readonly [Key in keyof Stored]: undefined extends Stored[Key]
            ? WithoutNull<NonNullable<Stored[Key]>>
            : WithoutNull<Stored[Key]>;
        }
      : Stored;

/**
 * A document of a collection as its schema has it, so that nobody writes its fields a second time. A field that is not required may be
 * absent; whoever stores null in it says so where it is read.
 */
export type RecordOf<Of extends Schema> = WithoutNull<Plain<InferRawDocTypeFromSchema<Of>>> & {
  readonly organisationId: string;
};

/** What may be saved in a collection by its schema, `_id` as `id`: what the state of a document store has to be. */
export type StateOf<Of extends Schema> = [Of] extends [never]
  ? object
  : Omit<Plain<InferRawDocTypeFromSchema<Of>>, '_id'>;
