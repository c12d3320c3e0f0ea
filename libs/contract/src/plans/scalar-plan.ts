import type protobuf from 'protobufjs';
import type { Writer } from 'protobufjs';
import type { FieldRules } from '../options/field-options.ts';
import { readBoolean } from '../validation/boolean.ts';
import { readDatetime, type Instant } from '../validation/datetime.ts';
import { readEmailAddress } from '../validation/email-address.ts';
import type { Loc, Findings } from '../validation/findings.ts';
import { readFloat } from '../validation/float.ts';
import { integerRange, readInteger } from '../validation/integer.ts';
import { Problem, valueError } from '../validation/problem.ts';
import {
  choiceOf,
  cronCheck,
  lengthCheck,
  nulCheck,
  patternCheck,
  readText,
  webLinkCheck,
} from '../validation/text.ts';
import { readUuid } from '../validation/uuid.ts';
import { refused, type InputPlan } from './input-plan.ts';
import { fixed32, fixed64, int64, lengthDelimited, varint, writeTimestamp } from './wire.ts';

/** What plans need to know about the operation they are made for. */
export interface PlanContext {
  /** The position inside a page cursor; undefined for a cursor that was not sealed for this operation. */
  unseal(cursor: string): string | undefined;
  /** How the operation is asked for, of which cursors are: `GET /client-groups/`. */
  readonly list?: string;
  /** The same of the list that a cursor is of, where it is another operation's; asked of cursors that are refused. */
  readonly listOf?: (cursor: string) => string | undefined;
  /** How deep JSON may be nested; as usual unless given. */
  readonly maxNesting?: number | undefined;
}

type Read = (value: unknown) => unknown;
type Check<Value> = (value: Value) => Problem | undefined;

/** The plan of a single value that is no message of the platform's own. */
export function scalarPlan(field: protobuf.Field, rules: FieldRules, context: PlanContext): InputPlan {
  if (field.resolvedType && 'values' in field.resolvedType) return enumPlan(field.resolvedType);
  if (field.type === 'string') {
    return plan(
      textReader(rules, context),
      lengthDelimited,
      (writer, value: string) => writer.string(value),
      (value) => value === '',
    );
  }
  if (field.type === 'bool') {
    return plan(
      readBoolean,
      varint,
      (writer, value: boolean) => writer.bool(value),
      (value) => !value,
    );
  }
  if (field.type === 'double' || field.type === 'float') return floatPlan(field.type);
  return integerPlan(field, rules);
}

export const timestampPlan: InputPlan = plan(
  readDatetime,
  lengthDelimited,
  (writer, value: Instant) => writeTimestamp(writer, value),
  () => false,
);

function plan<Value>(
  read: Read,
  wireType: number,
  write: (writer: Writer, value: Value) => unknown,
  isDefault: (value: Value) => boolean,
): InputPlan {
  return {
    read: reporting(read),
    write: (writer, value) => void write(writer, value as Value),
    wireType,
    isDefault: (value) => isDefault(value as Value),
  };
}

/** Turns a pure rule function into a plan's reader. */
function reporting(read: Read): InputPlan['read'] {
  return (value: unknown, findings: Findings | undefined, loc: Loc) => {
    const result = read(value);
    if (!(result instanceof Problem)) return result;
    findings?.add(result, loc, value);
    return refused;
  };
}

function textReader(rules: FieldRules, context: PlanContext): Read {
  const { string = {} } = rules;
  if (string.format === 'UUID') return readUuid;
  if (string.format === 'EMAIL') return readEmailAddress;
  if (string.format === 'CURSOR') return cursorReader(context);
  const { minLength, maxLength, pattern } = string;
  return checked(readText, [
    ...(minLength === undefined && maxLength === undefined ? [] : [lengthCheck(minLength, maxLength)]),
    ...(string.format === 'CRON' ? [cronCheck] : []),
    ...(string.format === 'WEB_LINK' ? [webLinkCheck] : []),
    ...(pattern === undefined ? [] : [patternCheck(pattern)]),
    nulCheck,
  ]);
}

function checked<Value>(read: (value: unknown) => Value | Problem, checks: readonly Check<Value>[]): Read {
  const [only, ...more] = checks;
  if (!only) return read;
  if (more.length > 0) return checked(checkedOnce(read, only), more);
  return checkedOnce(read, only);
}

function checkedOnce<Value>(
  read: (value: unknown) => Value | Problem,
  check: Check<Value>,
): (value: unknown) => Value | Problem {
  return (value) => {
    const result = read(value);
    return result instanceof Problem ? result : (check(result) ?? result);
  };
}

/** Characters; ours have a few dozen. */
export const maxCursorLength = 4096;

function cursorReader(context: PlanContext): Read {
  const { list, listOf } = context;
  const ofThis = `of this list${list === undefined ? '' : `, ${list}`}`;
  const badCursor = valueError(`not a cursor ${ofThis}`);
  return (value) => {
    const text = readText(value);
    if (text instanceof Problem) return text;
    if (text.length > maxCursorLength) return badCursor;
    const position = context.unseal(text);
    if (position !== undefined) return position;
    const other = listOf?.(text);
    return other === undefined ? badCursor : valueError(`a cursor of ${other}, and not ${ofThis}`);
  };
}

function enumPlan({ values }: protobuf.Enum): InputPlan {
  const named = Object.entries(values).filter(([, id]) => id !== 0);
  const ids = new Map(named);
  const read = choiceOf(named.map(([name]) => name));
  return plan(
    (value) => {
      const name = read(value);
      return name instanceof Problem ? name : ids.get(name);
    },
    varint,
    (writer, id: number) => writer.int32(id),
    (id) => id === 0,
  );
}

function floatPlan(type: 'double' | 'float'): InputPlan {
  return plan(
    readFloat,
    type === 'double' ? fixed64 : fixed32,
    (writer, value: number) => (type === 'double' ? writer.double(value) : writer.float(value)),
    (value) => Object.is(value, 0),
  );
}

interface IntegerType {
  readonly bits: 32 | 64;
  readonly signed: boolean;
  readonly wireType: number;
  readonly write: (writer: Writer, value: number | bigint) => unknown;
}

const integerTypes: Readonly<Record<string, IntegerType>> = {
  int32: { bits: 32, signed: true, wireType: varint, write: (writer, value) => writer.int32(Number(value)) },
  sint32: { bits: 32, signed: true, wireType: varint, write: (writer, value) => writer.sint32(Number(value)) },
  uint32: { bits: 32, signed: false, wireType: varint, write: (writer, value) => writer.uint32(Number(value)) },
  fixed32: { bits: 32, signed: false, wireType: fixed32, write: (writer, value) => writer.fixed32(Number(value)) },
  sfixed32: { bits: 32, signed: true, wireType: fixed32, write: (writer, value) => writer.sfixed32(Number(value)) },
  int64: { bits: 64, signed: true, wireType: varint, write: (writer, value) => writer.int64(int64(value)) },
  sint64: { bits: 64, signed: true, wireType: varint, write: (writer, value) => writer.sint64(int64(value)) },
  uint64: { bits: 64, signed: false, wireType: varint, write: (writer, value) => writer.uint64(int64(value)) },
  fixed64: { bits: 64, signed: false, wireType: fixed64, write: (writer, value) => writer.fixed64(int64(value)) },
  sfixed64: { bits: 64, signed: true, wireType: fixed64, write: (writer, value) => writer.sfixed64(int64(value)) },
};

function integerPlan(field: protobuf.Field, { integer = {} }: FieldRules): InputPlan {
  const type = integerTypes[field.type];
  if (!type) throw new Error(`${field.fullName.slice(1)}: a request cannot hold a ${field.type}`);
  const { minimum = smallest(type), maximum = greatest(type) } = integer;
  const inRange = integerRange(minimum, maximum);
  return plan(checked(readInteger, [inRange]), type.wireType, type.write, (value) => Number(value) === 0);
}

function smallest({ bits, signed }: IntegerType): number | bigint {
  if (!signed) return 0;
  return bits === 32 ? -(2 ** 31) : -(2n ** 63n);
}

function greatest({ bits, signed }: IntegerType): number | bigint {
  if (bits === 32) return signed ? 2 ** 31 - 1 : 2 ** 32 - 1;
  return signed ? 2n ** 63n - 1n : 2n ** 64n - 1n;
}
