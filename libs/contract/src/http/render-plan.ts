import protobuf from 'protobufjs';
import { discriminatorOf, fieldRules, isFlat } from '../options.ts';

/** How one value is read from the wire and written as JSON. */
export type ValueKind =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'uint32'
  | 'sint32'
  | 'fixed32'
  | 'sfixed32'
  | 'int64'
  | 'uint64'
  | 'sint64'
  | 'fixed64'
  | 'sfixed64'
  | 'double'
  | 'float'
  | 'enum'
  | 'timestamp'
  | 'json'
  | 'jsonObject'
  | 'jsonList'
  | 'object'
  | 'flat'
  | 'union';

export interface ValuePlan {
  readonly kind: ValueKind;
  readonly wireType: number;
  /** What stands for a value that is not on the wire. */
  readonly absent: Buffer;
  /** Kind `enum`: the JSON of each value by its number. */
  readonly names?: readonly (Buffer | undefined)[];
  /** Kinds `object`, `flat` and `union`. */
  readonly message?: MessagePlan;
}

export interface FieldPlan {
  /** Position among the message's fields, in the order of their numbers. */
  readonly index: number;
  readonly number: number;
  readonly form: 'one' | 'list' | 'map';
  /** `,"name":` */
  readonly key: Buffer;
  /** `,"name":null`; empty when a field without a value is left out. */
  readonly whenAbsent: Buffer;
  /** What stands for the field's value when there is none: `null`, `[]`, `{}`, `""`, `0`. */
  readonly absent: Buffer;
  readonly value: ValuePlan;
  /** Form `map`: how the keys are read. They are written as strings. */
  readonly mapKey?: ValuePlan;
  /** One bit per oneof of the message, to notice two members on the wire; 0 outside of oneofs. */
  readonly oneofBit: number;
  /** In a union: `{"method":"EMAIL"`. */
  readonly unionOpening?: Buffer;
}

export interface MessagePlan {
  readonly type: protobuf.Type;
  readonly fields: FieldPlan[];
  /** Fields by wire tag: number and wire type together. */
  readonly byTag: (FieldPlan | undefined)[];
}

const json = (text: string): Buffer => Buffer.from(text, 'utf8');

const wireTypes: Record<string, number> = {
  double: 1,
  fixed64: 1,
  sfixed64: 1,
  float: 5,
  fixed32: 5,
  sfixed32: 5,
  string: 2,
  bytes: 2,
};

const scalarDefaults: Record<string, string> = { string: '""', bytes: '""', bool: 'false' };

const wellKnownKinds: Record<string, ValueKind> = {
  '.google.protobuf.Timestamp': 'timestamp',
  '.google.protobuf.Value': 'json',
  '.google.protobuf.Struct': 'jsonObject',
  '.google.protobuf.ListValue': 'jsonList',
};

/** Plans messages once, however often and however recursively they are used. */
export class MessagePlanner {
  readonly #plans = new Map<protobuf.Type, MessagePlan>();

  plan(type: protobuf.Type): MessagePlan {
    const known = this.#plans.get(type);
    if (known) return known;
    const plan: MessagePlan = { type, fields: [], byTag: [] };
    this.#plans.set(type, plan);
    const fields = type.fieldsArray.toSorted((a, b) => a.id - b.id);
    for (const [index, field] of fields.entries()) {
      const planned = this.#planField(field, index);
      plan.fields.push(planned);
      plan.byTag[(field.id << 3) | (planned.form === 'map' ? 2 : planned.value.wireType)] = planned;
      if (planned.form === 'list') plan.byTag[(field.id << 3) | 2] = planned; // packed
    }
    if (isFlat(type)) requireFlat(type);
    if (discriminatorOf(type) !== undefined) requireUnion(type);
    return plan;
  }

  #planField(field: protobuf.Field, index: number): FieldPlan {
    field.resolve();
    const value = this.#planValue(field.type, field.resolvedType);
    const { omitEmpty, tag } = fieldRules(field);
    const absent = json(absentForm(field, value));
    const key = json(`,${JSON.stringify(field.name)}:`);
    const discriminator = field.parent instanceof protobuf.Type ? discriminatorOf(field.parent) : undefined;
    return {
      index,
      number: field.id,
      form: field.map ? 'map' : field.repeated ? 'list' : 'one',
      key,
      whenAbsent: omitEmpty ? Buffer.alloc(0) : Buffer.concat([key, absent]),
      absent,
      value,
      ...(field instanceof protobuf.MapField && { mapKey: this.#planValue(field.keyType, null) }),
      oneofBit: field.partOf ? 1 << ((field.parent as protobuf.Type).oneofsArray.indexOf(field.partOf) % 31) : 0,
      ...(discriminator !== undefined && {
        unionOpening: json(`{${JSON.stringify(discriminator)}:${JSON.stringify(tag ?? field.name)}`),
      }),
    };
  }

  #planValue(scalar: string, type: protobuf.Type | protobuf.Enum | null): ValuePlan {
    if (type instanceof protobuf.Enum) {
      const names: Buffer[] = [];
      for (const [name, number] of Object.entries(type.values))
        if (number > 0) names[number] = json(JSON.stringify(name));
      return { kind: 'enum', wireType: 0, absent: json('null'), names };
    }
    if (!type) {
      return {
        kind: scalar as ValueKind,
        wireType: wireTypes[scalar] ?? 0,
        absent: json(scalarDefaults[scalar] ?? '0'),
      };
    }
    const wellKnown = wellKnownKinds[type.fullName];
    if (wellKnown) return { kind: wellKnown, wireType: 2, absent: json('null') };
    const kind = isFlat(type) ? 'flat' : discriminatorOf(type) === undefined ? 'object' : 'union';
    return { kind, wireType: 2, absent: json('null'), message: this.plan(type) };
  }
}

function absentForm(field: protobuf.Field, value: ValuePlan): string {
  if (field.map) return '{}';
  if (field.repeated) return '[]';
  return field.partOf ? 'null' : value.absent.toString();
}

function requireFlat(type: protobuf.Type): void {
  if (type.fieldsArray.length !== 1)
    throw new Error(`${type.fullName.slice(1)} is flat, so it must have exactly one field`);
}

function requireUnion(type: protobuf.Type): void {
  const [oneof, ...others] = type.oneofsArray;
  const allInOneof = type.fieldsArray.every(
    (field) => field.partOf === oneof && field.resolvedType instanceof protobuf.Type,
  );
  if (!oneof || others.length > 0 || !allInOneof) {
    throw new Error(
      `${type.fullName.slice(1)} has a discriminator, so it must be one oneof of messages and nothing else`,
    );
  }
}
