import fc from 'fast-check';
import protobuf from 'protobufjs';
import { textOf } from '../src/http/byte-text.ts';
import { JsonWalks } from '../src/http/json-walks.ts';
import { EXACT_NUMBER_ID } from '../src/json-values.ts';
import { MessageJson } from './message-json.ts';

/** The JSON of a message by its compiled walk, and by way of objects. */
export function waysToJson() {
  const walks = new JsonWalks();
  const objects = new MessageJson();
  return {
    walked: (type: protobuf.Type, bytes: Buffer): string => textOf(walks.of(type)(bytes)),
    byObjects: (type: protobuf.Type, bytes: Buffer): string => JSON.stringify(objects.of(type)(type.decode(bytes))),
  };
}

/** All types that are in these, these among them, and none that JSON has a form of its own for. */
export function typesIn(types: Iterable<protobuf.Type>): Set<protobuf.Type> {
  const found = new Set<protobuf.Type>();
  const add = (type: protobuf.Type): void => {
    const isWellKnown = type.fullName.startsWith('.google.protobuf.') && type.name !== 'FieldMask';
    if (found.has(type) || isWellKnown) return;
    found.add(type);
    for (const field of type.fieldsArray) {
      if (field.resolve().resolvedType instanceof protobuf.Type) add(field.resolvedType as protobuf.Type);
    }
  };
  for (const type of types) add(type);
  return found;
}

const MAX_DEPTH = 3;
const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\u0000\u001f\u007f', '\ufeff\u2028', 'é😀', '__proto__', '1', 'plain words'),
);
/** No UTF-8: a lone byte, a surrogate, one that is cut off, and an overlong one. */
const notUtf8 = fc.constantFrom([0x61, 0xff], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xc0, 0x80]);
const textBytes = fc.oneof(
  { weight: 9, arbitrary: texts.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: notUtf8.map((bytes) => Buffer.from(bytes)) },
);
const exactNumbers = fc.constantFrom('1.0', '-0', '12345678901234567890', '1e400', '');
const wides = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.constantFrom(0n, -1n, 2n ** 49n - 1n, 2n ** 49n, 2n ** 53n + 1n, -(2n ** 63n)),
);
/** Seconds and parts of them, within what can be shown and beyond. */
const seconds = fc.oneof(fc.integer(), fc.constantFrom(253_402_300_799, 253_402_300_800, -62_135_596_800, 2 ** 50));

/** The bytes of a message of this type: with its fields in any order, several times, or not at all, and others beside them. */
export function arbitraryMessage(g: fc.GeneratorValue, type: protobuf.Type, depth = 0): Buffer {
  const writer = protobuf.Writer.create();
  const { fieldsArray } = type;
  const amount = g(fc.nat, { max: depth === 0 ? 8 : 3 });
  for (let n = 0; n < amount; n++) {
    const at = g(fc.nat, { max: fieldsArray.length });
    const field = fieldsArray[at];
    if (!field) writeUnknown(g, writer, type);
    else if (depth < MAX_DEPTH || !(field.resolve().resolvedType instanceof protobuf.Type)) {
      writeField(g, writer, field.resolve(), depth);
    }
  }
  return Buffer.from(writer.finish());
}

function writeField(g: fc.GeneratorValue, writer: protobuf.Writer, field: protobuf.Field, depth: number): void {
  const { type, resolvedType } = field;
  const scalar = resolvedType instanceof protobuf.Enum ? 'int32' : type;
  if (field instanceof protobuf.MapField) {
    writer.uint32((field.id << 3) | LENGTH_DELIMITED).fork();
    if (g(fc.boolean)) {
      writer.uint32((1 << 3) | wireTypeOf(field.keyType));
      writeScalar(g, writer, field.keyType, 0);
    }
    // A message that is absent has no form by way of objects.
    if (resolvedType instanceof protobuf.Type || g(fc.boolean)) {
      writer.uint32((2 << 3) | wireTypeOf(scalar));
      writeValue(g, writer, field, depth);
    }
    writer.ldelim();
    return;
  }
  const isPackable = field.repeated && wireTypeOf(scalar) !== LENGTH_DELIMITED;
  if (isPackable && g(fc.boolean)) {
    writer.uint32((field.id << 3) | LENGTH_DELIMITED).fork();
    for (let n = g(fc.nat, { max: 3 }); n > 0; n--) writeValue(g, writer, field, depth);
    writer.ldelim();
    return;
  }
  writer.uint32((field.id << 3) | wireTypeOf(scalar));
  writeValue(g, writer, field, depth);
}

function writeValue(g: fc.GeneratorValue, writer: protobuf.Writer, field: protobuf.Field, depth: number): void {
  const { resolvedType } = field;
  if (resolvedType instanceof protobuf.Type) writer.bytes(arbitraryMessage(g, resolvedType, depth + 1));
  else if (resolvedType) {
    const known = Object.keys(resolvedType.valuesById).map(Number);
    writer.int32(g(() => fc.oneof(fc.constantFrom(...known), fc.constantFrom(-1, 77, 2 ** 31 - 1))));
  } else if (field.parent?.fullName === '.google.protobuf.Timestamp') {
    if (field.type === 'int64') writer.int64(g(() => seconds));
    else writer.int32(g(fc.integer, { min: -1_000_000_000, max: 1_000_000_000 }));
  } else if (field.parent?.fullName === '.google.protobuf.Value' && field.id === EXACT_NUMBER_ID) {
    writer.string(g(() => exactNumbers));
  } else writeScalar(g, writer, field.type, depth);
}

function writeScalar(g: fc.GeneratorValue, writer: protobuf.Writer, type: string, depth: number): void {
  switch (type) {
    case 'string':
      // Keys of maps are known to be texts by whoever writes them.
      writer.bytes(depth === 0 ? Buffer.from(g(() => texts)) : g(() => textBytes));
      break;
    case 'bytes':
      writer.bytes(g(fc.uint8Array));
      break;
    case 'bool':
      writer.bool(g(fc.boolean));
      break;
    case 'double':
    case 'float':
      writer[type](g(fc.double));
      break;
    case 'int64':
    case 'uint64':
    case 'sint64':
    case 'fixed64':
    case 'sfixed64':
      writer[type](
        String(
          BigInt.asUintN(
            64,
            g(() => wides),
          ),
        ),
      );
      break;
    case 'uint32':
    case 'fixed32':
      writer[type](g(fc.nat));
      break;
    default:
      writer[type as 'int32' | 'sfixed32' | 'sint32'](g(fc.integer));
  }
}

function writeUnknown(g: fc.GeneratorValue, writer: protobuf.Writer, type: protobuf.Type): void {
  const id = 1 + Math.max(0, ...type.fieldsArray.map((field) => field.id)) + g(fc.nat, { max: 3000 });
  const wireType = g(() => fc.constantFrom(VARINT, FIXED_64, LENGTH_DELIMITED, FIXED_32));
  writer.uint32(((id << 3) | wireType) >>> 0);
  if (wireType === VARINT) writer.uint32(g(fc.nat));
  else if (wireType === FIXED_64) writer.double(g(fc.double));
  else if (wireType === FIXED_32) writer.fixed32(g(fc.nat));
  else writer.bytes(g(fc.uint8Array));
}

function wireTypeOf(type: string): number {
  if (type === 'double' || type.endsWith('fixed64')) return FIXED_64;
  if (type === 'float' || type.endsWith('fixed32')) return FIXED_32;
  return !Object.hasOwn(protobuf.types.basic, type) || type === 'string' || type === 'bytes'
    ? LENGTH_DELIMITED
    : VARINT;
}
