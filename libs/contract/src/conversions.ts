import protobuf from 'protobufjs';
import {
  fromListMessage,
  fromStructMessage,
  fromValueMessage,
  toListMessage,
  toStructMessage,
  toValueMessage,
  type ListMessage,
  type StructMessage,
  type ValueMessage,
} from './json-values.ts';

/**
 * How messages look in TypeScript, taught to protobufjs through its `wrappers`, which its
 * generated converters call for every message, at any depth:
 *
 * - Timestamp is a `Date`; Value, Struct and ListValue are plain JSON;
 * - on reading, whatever is absent is null: messages, optional fields, members of a oneof that
 *   are not the one, and enums without a value; lists and maps are never absent;
 * - on writing, null and undefined both mean absent, and a value that its field cannot hold
 *   (an unknown enum name, 3 billion in an int32) throws instead of being stored as another one.
 *
 * The wrappers are process-wide: every Root loaded with protobufjs gets them.
 */
export function registerConversions(root: protobuf.Root): void {
  for (const [fullName, wrapper] of Object.entries(wellKnown)) register(fullName, wrapper);
  for (const type of platformTypes(root)) register(type.fullName, platformWrapper);
}

function register(fullName: string, wrapper: Wrapper): void {
  protobuf.wrappers[fullName] = wrapper as unknown as protobuf.IWrapper;
}

/** Every message type of the platform, nested ones too. */
export function platformTypes(namespace: protobuf.NamespaceBase): protobuf.Type[] {
  return namespace.nestedArray.flatMap((nested) => {
    if (!(nested instanceof protobuf.Namespace)) return [];
    const inner = platformTypes(nested);
    return nested instanceof protobuf.Type && nested.fullName.startsWith('.platform.') ? [nested, ...inner] : inner;
  });
}

type Plain = Record<string, unknown>;

interface Wrapper {
  fromObject(this: protobuf.Type, object: unknown, depth?: number): unknown;
  toObject(this: protobuf.Type, message: never, options?: protobuf.IConversionOptions, depth?: number): unknown;
}

/** A JSON value on its way through a converter that accepts only objects. */
class JsonBox {
  readonly json: unknown;
  constructor(json: unknown) {
    this.json = json;
  }
}

function isMessageOf(type: protobuf.Type, value: unknown): boolean {
  return value instanceof (type.ctor as unknown as new () => unknown);
}

const wellKnown: Record<string, Wrapper> = {
  '.google.protobuf.Timestamp': {
    fromObject(value) {
      if (isMessageOf(this, value)) return value;
      if (!(value instanceof Date) || Number.isNaN(value.getTime()))
        throw new TypeError('a timestamp must be a valid Date');
      const milliseconds = value.getTime();
      const seconds = Math.floor(milliseconds / 1000);
      return this.create({ seconds, nanos: (milliseconds - seconds * 1000) * 1_000_000 });
    },
    toObject(message: { seconds: number | { toNumber(): number }; nanos: number }) {
      const seconds = typeof message.seconds === 'number' ? message.seconds : message.seconds.toNumber();
      return new Date(seconds * 1000 + Math.floor(message.nanos / 1_000_000));
    },
  },
  '.google.protobuf.Value': {
    fromObject(value) {
      if (isMessageOf(this, value)) return value;
      return this.create(toValueMessage(value instanceof JsonBox ? value.json : value));
    },
    toObject: (message: ValueMessage) => fromValueMessage(message),
  },
  '.google.protobuf.Struct': {
    fromObject(value) {
      if (isMessageOf(this, value)) return value;
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw new TypeError('a JSON object expected');
      return this.create(toStructMessage(value));
    },
    toObject: (message: StructMessage) => fromStructMessage(message),
  },
  '.google.protobuf.ListValue': {
    fromObject(value) {
      if (isMessageOf(this, value)) return value;
      if (!Array.isArray(value)) throw new TypeError('a JSON list expected');
      return this.create(toListMessage(value));
    },
    toObject: (message: ListMessage) => fromListMessage(message),
  },
};

const platformWrapper: Wrapper = {
  fromObject(object, depth) {
    if (isMessageOf(this, object) || typeof object !== 'object' || object === null)
      return base(this).fromObject(object, depth);
    const { incoming } = planOf(this);
    if (incoming.length === 0) return base(this).fromObject(object, depth);
    const converted: Plain = { ...object };
    for (const { name, convert } of incoming) {
      const value = converted[name];
      if (value !== undefined && value !== null) converted[name] = convert(value);
    }
    return base(this).fromObject(converted, depth);
  },
  toObject(message, options, depth) {
    const plain = base(this).toObject(message, options, depth);
    const { nullable, enums, enumLists, enumMaps } = planOf(this);
    for (const name of nullable) plain[name] ??= null;
    for (const { name, known } of enums) if (!known.has(plain[name])) plain[name] = null;
    for (const { name, known } of enumLists) {
      const list = plain[name];
      if (Array.isArray(list)) plain[name] = list.filter((value) => known.has(value));
    }
    for (const { name, known } of enumMaps) {
      const map = plain[name] as Plain;
      for (const [key, value] of Object.entries(map)) if (!known.has(value)) map[key] = null;
    }
    return plain;
  },
};

/** Inside a wrapper protobufjs binds `this` to the type with its own generated converters. */
interface Generated {
  fromObject(object: unknown, depth?: number): protobuf.Message;
  toObject(message: unknown, options?: protobuf.IConversionOptions, depth?: number): Plain;
}
const base = (type: protobuf.Type): Generated => type;

/** What of a message needs more than its generated converter does. */
interface Plan {
  /** Fields that are null when absent. */
  readonly nullable: readonly string[];
  readonly enums: readonly { name: string; known: ReadonlySet<unknown> }[];
  readonly enumLists: readonly { name: string; known: ReadonlySet<unknown> }[];
  readonly enumMaps: readonly { name: string; known: ReadonlySet<unknown> }[];
  readonly incoming: readonly { name: string; convert: (value: unknown) => unknown }[];
}

const plans = new WeakMap<protobuf.Type, Plan>();

function planOf(type: protobuf.Type): Plan {
  const known = plans.get(type);
  if (known) return known;
  const fields = type.fieldsArray.map((field) => field.resolve());
  const enumFields = fields.flatMap((field) =>
    field.resolvedType instanceof protobuf.Enum
      ? [{ name: field.name, field, known: namesOf(field.resolvedType) }]
      : [],
  );
  const plan: Plan = {
    nullable: fields.filter((field) => field.partOf).map(({ name }) => name),
    enums: enumFields.filter(({ field }) => !field.repeated && !field.map),
    enumLists: enumFields.filter(({ field }) => field.repeated),
    enumMaps: enumFields.filter(({ field }) => field.map),
    incoming: fields.flatMap((field) => {
      const convert = valueConverter(field);
      return convert ? [{ name: field.name, convert: throughout(field, convert) }] : [];
    }),
  };
  plans.set(type, plan);
  return plan;
}

/** The names of an enum's values, without the one that stands for no value. */
function namesOf(declared: protobuf.Enum): ReadonlySet<unknown> {
  return new Set(Object.keys(declared.values).filter((name) => declared.values[name] !== 0));
}

function throughout(field: protobuf.Field, convert: (value: unknown) => unknown): (value: unknown) => unknown {
  if (field instanceof protobuf.MapField) {
    return (value) => {
      if (typeof value !== 'object' || value === null) return value;
      // Entries without a value are left out, as JSON.stringify does.
      const entries = Object.entries(value).filter(([, member]) => member !== undefined);
      return Object.fromEntries(entries.map(([key, member]) => [key, convert(member)]));
    };
  }
  if (field.repeated) return (value) => (Array.isArray(value) ? value.map((item) => convert(item)) : value);
  return convert;
}

function valueConverter(field: protobuf.Field): ((value: unknown) => unknown) | undefined {
  if (field.resolvedType instanceof protobuf.Enum) return enumName(field, field.resolvedType);
  if (field.resolvedType?.fullName === '.google.protobuf.Value') return (value) => new JsonBox(value);
  switch (field.type) {
    case 'int64':
    case 'sint64':
    case 'sfixed64':
      return wideInteger(field, -(2n ** 63n), 2n ** 63n - 1n);
    case 'uint64':
    case 'fixed64':
      return wideInteger(field, 0n, 2n ** 64n - 1n);
    case 'int32':
    case 'sint32':
    case 'sfixed32':
      return integer(field, -(2 ** 31), 2 ** 31 - 1);
    case 'uint32':
    case 'fixed32':
      return integer(field, 0, 2 ** 32 - 1);
    default:
      return undefined;
  }
}

function enumName(field: protobuf.Field, declared: protobuf.Enum): (value: unknown) => unknown {
  return (value) => {
    if (typeof value === 'string' && Object.hasOwn(declared.values, value)) return value;
    throw new TypeError(`${field.fullName.slice(1)} has no value ${JSON.stringify(value)}`);
  };
}

function integer(field: protobuf.Field, minimum: number, maximum: number): (value: unknown) => unknown {
  return (value) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    throw new TypeError(`${field.fullName.slice(1)} cannot hold ${String(value)}`);
  };
}

function wideInteger(field: protobuf.Field, minimum: bigint, maximum: bigint): (value: unknown) => unknown {
  return (value) => {
    const text = typeof value === 'bigint' || Number.isSafeInteger(value) ? String(value) : value;
    if (typeof text === 'string' && /^-?\d{1,20}$/.test(text)) {
      const exact = BigInt(text);
      if (exact >= minimum && exact <= maximum) return text;
    }
    throw new TypeError(`${field.fullName.slice(1)} cannot hold ${String(value)}`);
  };
}
