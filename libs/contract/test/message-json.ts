import protobuf from 'protobufjs';
import {
  fromListMessage,
  fromStructMessage,
  fromValueMessage,
  type ListMessage,
  type StructMessage,
  type ValueMessage,
} from '../src/json-values.ts';
import { fieldRules } from '../src/options/field-options.ts';
import { discriminatorOf, isUnwrapped } from '../src/options/message-options.ts';
import { rawJson } from '../src/validation/input-value.ts';

/** Turns a decoded value into what JSON.stringify shows of it. */
type ToJson = (decoded: unknown) => unknown;

type Message = Readonly<Record<string, unknown>>;

/**
 * How messages look in JSON by way of objects: what the walks of `json-walks.ts` are compared with. Each type is planned once,
 * however often and however recursively it is used.
 */
export class MessageJson {
  readonly #known = new Map<protobuf.Type, ToJson>();

  of(type: protobuf.Type): ToJson {
    const known = this.#known.get(type);
    if (known) return known;
    // Stands for it inside of itself.
    this.#known.set(type, (decoded) => planned(decoded));
    const planned = this.#plan(type);
    this.#known.set(type, planned);
    return planned;
  }

  #plan(type: protobuf.Type): ToJson {
    const members = type.fieldsArray.toSorted((a, b) => a.id - b.id).map((field) => this.member(field));
    if (isUnwrapped(type)) return unwrapped(type, members);
    const discriminator = discriminatorOf(type);
    return discriminator === undefined ? asObject(members) : asUnion(type, members, discriminator);
  }

  /** A field: its name, and its value in a decoded message. */
  member(field: protobuf.Field): Member {
    field.resolve();
    const { name } = field;
    const toJson = this.#value(field);
    const { omitEmpty, tag } = fieldRules(field);
    const isMessage = field.resolvedType instanceof protobuf.Type;
    if (field.map) return { name, tag, omitEmpty, read: (message) => mapJson(message[name] as Message, toJson) };
    if (field.repeated) {
      // A value of an enum that is not known here is no item.
      const isItem = field.resolvedType instanceof protobuf.Enum ? (item: unknown) => item !== null : () => true;
      const read = (message: Message) => (message[name] as unknown[]).map(toJson).filter(isItem);
      return { name, tag, omitEmpty, read };
    }
    // Own properties only: protobufjs keeps the value of an absent field on the prototype.
    const nullable = isMessage || field.partOf !== null;
    const read = (message: Message) => (nullable && !Object.hasOwn(message, name) ? null : toJson(message[name]));
    return { name, tag, omitEmpty, read };
  }

  #value({ type, resolvedType }: protobuf.Field): ToJson {
    if (resolvedType instanceof protobuf.Enum) {
      const { valuesById } = resolvedType;
      return (number) => ((number as number) > 0 ? (valuesById[number as number] ?? null) : null);
    }
    if (resolvedType) return wellKnown[resolvedType.fullName] ?? this.of(resolvedType);
    if (type === 'bytes') return (bytes) => Buffer.from(bytes as Uint8Array).toString('base64');
    if (type.endsWith('64')) return exactInteger;
    return (value) => value;
  }
}

interface Member {
  readonly name: string;
  readonly tag: string | undefined;
  readonly omitEmpty: boolean;
  readonly read: (message: Message) => unknown;
}

const wellKnown: Readonly<Record<string, ToJson>> = {
  '.google.protobuf.Timestamp': (at) => timestampJson(at as { seconds: unknown; nanos: number }),
  '.google.protobuf.Value': (value) => fromValueMessage(value as ValueMessage),
  '.google.protobuf.Struct': (struct) => fromStructMessage(struct as StructMessage),
  '.google.protobuf.ListValue': (list) => fromListMessage(list as ListMessage),
};

/** All digits, also beyond 2^53. */
const exactInteger: ToJson = (wide) => (typeof wide === 'number' ? wide : rawJson(String(wide)));

/** 9999-12-31T23:59:59.999Z; a timestamp begins with the year 1. Beyond there is nothing to show. */
const lastMs = 253_402_300_799_999;
const firstMs = -62_135_596_800_000;

/** ISO 8601 in UTC, with milliseconds when there are any. Services keep milliseconds; what is finer is cut off. */
function timestampJson({ seconds, nanos }: { readonly seconds: unknown; readonly nanos: number }): string | null {
  const at = Number(seconds) * 1000 + Math.trunc(nanos / 1_000_000);
  return at < firstMs || at > lastMs ? null : new Date(at).toISOString().replace('.000Z', 'Z');
}

function asObject(members: readonly Member[]): ToJson {
  return (message) => {
    const json: Record<string, unknown> = {};
    for (const { name, omitEmpty, read } of members) {
      const value = read(message as Message);
      if (!omitEmpty || !isEmpty(value)) json[name] = value;
    }
    return json;
  };
}

function unwrapped(type: protobuf.Type, [only, ...others]: readonly Member[]): ToJson {
  if (!only || others.length > 0) {
    throw new Error(`${type.fullName.slice(1)} is unwrapped, so it must have exactly one field`);
  }
  return (message) => only.read(message as Message);
}

function asUnion(type: protobuf.Type, members: readonly Member[], discriminator: string): ToJson {
  const [oneof, ...others] = type.oneofsArray;
  const isMember = (field: protobuf.Field) => field.partOf === oneof && field.resolvedType instanceof protobuf.Type;
  if (!oneof || others.length > 0 || !type.fieldsArray.every(isMember)) {
    throw new Error(
      `${type.fullName.slice(1)} has a discriminator, so it must be one oneof of messages and nothing else`,
    );
  }
  return (message) => {
    const member = members.find(({ name }) => Object.hasOwn(message as Message, name));
    if (!member) return null;
    return { [discriminator]: member.tag ?? member.name, ...(member.read(message as Message) as object) };
  };
}

/** `__proto__` is a key like any other. */
const mapJson = (map: Message, toJson: ToJson): unknown =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, toJson(value)]));

const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);
