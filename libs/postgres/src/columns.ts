import { storableJson, storableText } from '@platform-backend/core';

type Row = Readonly<Record<string, unknown>>;

/** How a value is kept in one or more columns of a row. */
export interface Columns<Value> {
  readonly names: readonly string[];
  readonly read: (row: object) => Value;
  /** Null is null in all of them. */
  readonly write: (value: Value | null) => Row;
}

interface Translation<Value> {
  readonly read: (stored: never) => Value;
  readonly write: (value: Value) => unknown;
}

/** One column, for fields that are not kept as they are. Null is kept as null. */
export const column = <Value>(name: string, { read, write }: Translation<Value>): Columns<Value> => ({
  names: [name],
  read: (row) => {
    const stored = (row as Row)[name];
    return (stored === null ? null : read(stored as never)) as Value;
  },
  write: (value) => ({ [name]: value === null ? null : write(value) }),
});

/** A `bigint` or `numeric` column, which comes as text. */
export const bigintColumn = (name: string) => column(name, { read: (text: string) => BigInt(text), write: String });

/** A `jsonb` column. Lists have to be written as text: they would be taken for PostgreSQL's own arrays. */
export const jsonColumn = <Value>(name: string) =>
  column<Value>(name, { read: (value) => value, write: (value) => storableJson(value) });

/** A column that is only read: counted by the database, or of a table that is joined. */
export const readOnlyColumn = <Value>(name: string): Columns<Value> => ({
  ...column<Value>(name, { read: (value) => value, write: (value) => value }),
  write: () => ({}),
});

/** A field is kept as it is in the column of this name, or in these columns. */
type ColumnsOfField<Value> =
  Extract<Value, bigint> extends never
    ? string | Columns<NonNullable<Value>> | Columns<Value>
    : Columns<NonNullable<Value>>;

/** The columns of a whole object, field by field: one table for reading and writing. */
export function columns<Value extends object>(fields: {
  readonly [Field in keyof Value]-?: ColumnsOfField<Value[Field]>;
}): Columns<Value> {
  const parts = Object.entries(fields as Record<string, string | Columns<unknown>>).map(
    ([field, kept]) => [field, typeof kept === 'string' ? asItIs(kept) : kept] as const,
  );
  return {
    names: parts.flatMap(([, { names }]) => names),
    read: (row) => {
      const value: Record<string, unknown> = {};
      for (const [field, { read }] of parts) value[field] = read(row);
      return value as Value;
    },
    write: (value) => {
      const row: Record<string, unknown> = {};
      for (const [field, { write }] of parts) Object.assign(row, write(value && (value as Row)[field]));
      return row;
    },
  };
}

const asItIs = (name: string) =>
  column<unknown>(name, {
    read: (value) => value,
    write: (value) => (typeof value === 'string' ? storableText(value) : value),
  });

/** An object that may be missing: then all its columns are null. */
export const nullable = <Value>(whole: Columns<Value>): Columns<Value | null> => ({
  ...whole,
  read: (row) => (whole.names.every((name) => (row as Row)[name] === null) ? null : whole.read(row)),
});
