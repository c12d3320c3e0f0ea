import protobuf from 'protobufjs';
import type { Contract } from '../contract.ts';
import type { JsonValue } from '../json-values.ts';
import type { Operation } from '../operations.ts';
import { exampleOf } from '../options/field-options.ts';

/** What the documents say of a field, in the words of the contract. */
export interface FieldDocumentation {
  /** Undefined: nobody has said what it means. */
  readonly description: (field: protobuf.Field) => string | undefined;
  /** A value that somebody chose for it. */
  readonly example: (field: protobuf.Field) => JsonValue | undefined;
}

/**
 * A field is documented by itself; of a request that changes something, by the same field of its answer; or by that of the
 * `RecurringFields` of its package, or of the options: each for what those before leave out.
 */
export function fieldDocumentation({ root, operations }: Pick<Contract, 'root' | 'operations'>): FieldDocumentation {
  const answered = fieldsOfAnswers(operations);
  const packages = new Map<string, ReadonlyMap<string, protobuf.Field>>();
  const recurring = (name: string, field: protobuf.Field): protobuf.Field | undefined => {
    let known = packages.get(name);
    if (!known) packages.set(name, (known = recurringFields(root, name)));
    return known.get(keyOf(field));
  };
  const first = <T>(field: protobuf.Field, say: (source: protobuf.Field) => T | undefined): T | undefined => {
    const sources = [field, answered.get(field), recurring(packageOf(field), field), recurring(COMMON, field)];
    for (const source of sources) {
      const said = source && say(source);
      if (said !== undefined) return said;
    }
    return undefined;
  };
  return {
    description(field) {
      const meaning = first(field, ({ comment }) => comment ?? undefined);
      const values = describeValues(field);
      return meaning && values ? `${meaning}\n\n${values}` : (meaning ?? values);
    },
    example: (field) => first(field, exampleOf),
  };
}

const COMMON = 'platform.options.v1';

/** Fields of answers, by the fields of requests that have the same name and type. */
function fieldsOfAnswers(operations: readonly Operation[]): ReadonlyMap<protobuf.Field, protobuf.Field> {
  const found = new Map<protobuf.Field, protobuf.Field>();
  for (const { http, requestType, responseType } of operations) {
    if (http?.body === undefined) continue;
    for (const field of requestType.fieldsArray) {
      const same = responseType.fields[field.name];
      if (same && keyOf(same) === keyOf(field) && !http.pathFields.includes(field.name) && !found.has(field))
        found.set(field, same);
    }
  }
  return found;
}

function recurringFields(root: protobuf.Root, name: string): ReadonlyMap<string, protobuf.Field> {
  const declared = root.lookup(`${name}.RecurringFields`);
  return new Map(
    declared instanceof protobuf.Type ? declared.fieldsArray.map((field) => [keyOf(field), field]) : undefined,
  );
}

/** Name and type. Whether a value may be absent makes no other field of it. */
function keyOf(field: protobuf.Field): string {
  const { resolvedType } = field.resolve();
  const many = field.map ? 'map' : field.repeated ? 'list' : 'one';
  return `${field.name} ${many} ${resolvedType?.fullName ?? field.type}`;
}

/** `platform.billing.v1` */
const packageOf = (field: protobuf.Field): string => field.fullName.split('.').slice(1, 4).join('.');

/** A line for each value that has something said of it. */
function describeValues(field: protobuf.Field): string | undefined {
  const type = field.resolve().resolvedType;
  if (!(type instanceof protobuf.Enum)) return undefined;
  const lines = Object.keys(type.values).flatMap((name) => {
    const comment = type.comments[name];
    return comment ? [`- \`${name}\`: ${comment.replaceAll('\n', ' ')}`] : [];
  });
  return lines.length > 0 ? lines.join('\n') : undefined;
}
