import { Binary, BSONRegExp, Code, Decimal128, Int32, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { badValue, ServerError } from '../errors.ts';
import { isDocument, typeNumber, typeOf, type Document, type Value } from './values.ts';

export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;
const MAX_DEPTH = 180;

/** Reads one document. The bson package itself would give objects, which reorder names that look like numbers. */
export function decode(bytes: Buffer, start = 0): Document {
  return new Reader(bytes, start).document(0);
}

class Reader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  document(depth: number): Document {
    const fields: Document = new Map();
    this.#elements(depth, (name, value) => fields.set(name, value));
    return fields;
  }

  #array(depth: number): Value[] {
    const values: Value[] = [];
    this.#elements(depth, (_name, value) => values.push(value));
    return values;
  }

  #elements(depth: number, add: (name: string, value: Value) => void): void {
    if (depth > MAX_DEPTH) throw new ServerError(15, 'BSONObj exceeds maximum nested object depth');
    const length = this.#int32();
    const end = this.#at - 4 + length - 1;
    if (length < 5 || end >= this.#bytes.length || this.#bytes[end] !== 0) throw malformed();
    while (this.#at < end) {
      const type = this.#bytes.readInt8(this.#at++);
      const name = this.#name();
      add(name, this.#value(type, depth));
    }
    if (this.#at !== end) throw malformed();
    this.#at += 1;
  }

  #int32(): number {
    const value = this.#bytes.readInt32LE(this.#at);
    this.#at += 4;
    return value;
  }

  #int64(): bigint {
    const value = this.#bytes.readBigInt64LE(this.#at);
    this.#at += 8;
    return value;
  }

  #name(): string {
    const end = this.#bytes.indexOf(0, this.#at);
    if (end < 0) throw malformed();
    const name = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return name;
  }

  #string(): string {
    const length = this.#int32();
    const end = this.#at + length - 1;
    if (length < 1 || this.#bytes[end] !== 0) throw malformed();
    const text = this.#bytes.toString('utf8', this.#at, end);
    this.#at = end + 1;
    return text;
  }

  /** A copy, as what it is cut from may be the buffer of a connection. */
  #cut(length: number): Buffer {
    if (length < 0 || this.#at + length > this.#bytes.length) throw malformed();
    const part = Buffer.from(this.#bytes.subarray(this.#at, this.#at + length));
    this.#at += length;
    return part;
  }

  #binary(): Binary {
    const length = this.#int32();
    const subtype = this.#bytes[this.#at++] ?? 0;
    return new Binary(this.#cut(length), subtype);
  }

  #date(): Date {
    const date = new Date(Number(this.#int64()));
    if (Number.isNaN(date.getTime())) throw badValue('a date outside of the years -271821 to 275760');
    return date;
  }

  #value(type: number, depth: number): Value {
    switch (type) {
      case 0x01:
        this.#at += 8;
        return this.#bytes.readDoubleLE(this.#at - 8);
      case 0x02:
        return this.#string();
      case 0x03:
        return this.document(depth + 1);
      case 0x04:
        return this.#array(depth + 1);
      case 0x05:
        return this.#binary();
      case 0x07:
        return new ObjectId(this.#cut(12));
      case 0x08:
        return this.#bytes[this.#at++] !== 0;
      case 0x09:
        return this.#date();
      case 0x0a:
        return null;
      case 0x0b:
        return new BSONRegExp(this.#name(), this.#name());
      case 0x0d:
        return new Code(this.#string());
      case 0x10:
        return new Int32(this.#int32());
      case 0x11:
        return new Timestamp(BigInt.asUintN(64, this.#int64()));
      case 0x12:
        return this.#int64();
      case 0x13:
        return new Decimal128(this.#cut(16));
      case -1:
        return new MinKey();
      case 0x7f:
        return new MaxKey();
      default:
        throw badValue(`values of the BSON type ${type} are deprecated and not stored by this server`);
    }
  }
}

const malformed = (): ServerError => new ServerError(22, 'invalid BSON');

/** A document of bytes, which is written into another one as it is. */
type Encodable = Document | ReadonlyMap<string, Value | Buffer | readonly Buffer[]>;

export function encode(document: Encodable): Buffer {
  const writer = new Writer();
  writer.document(document, 0);
  return writer.result();
}

class Writer {
  #bytes = Buffer.allocUnsafe(1024);
  #at = 0;

  result(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  #room(length: number): number {
    if (this.#at + length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + length));
      this.#bytes.copy(larger, 0, 0, this.#at);
      this.#bytes = larger;
    }
    const at = this.#at;
    this.#at += length;
    return at;
  }

  // Room comes first: it may move the bytes.
  #byte(value: number): void {
    const at = this.#room(1);
    this.#bytes[at] = value;
  }

  #int32(value: number): void {
    const at = this.#room(4);
    this.#bytes.writeInt32LE(value, at);
  }

  #int64(value: bigint): void {
    const at = this.#room(8);
    this.#bytes.writeBigInt64LE(value, at);
  }

  #double(value: number): void {
    const at = this.#room(8);
    this.#bytes.writeDoubleLE(value, at);
  }

  document(document: Encodable, depth: number): void {
    if (depth > MAX_DEPTH) throw new ServerError(15, 'BSONObj exceeds maximum nested object depth');
    const start = this.#room(4);
    for (const [name, value] of document) this.#element(name, value, depth);
    this.#byte(0);
    this.#bytes.writeInt32LE(this.#at - start, start);
  }

  #array(values: readonly (Value | Buffer)[], depth: number): void {
    const start = this.#room(4);
    for (const [index, value] of values.entries()) this.#element(String(index), value, depth);
    this.#byte(0);
    this.#bytes.writeInt32LE(this.#at - start, start);
  }

  #raw(bytes: Uint8Array): void {
    const at = this.#room(bytes.length);
    this.#bytes.set(bytes, at);
  }

  #name(name: string): void {
    const length = Buffer.byteLength(name);
    const at = this.#room(length + 1);
    this.#bytes.write(name, at);
    this.#bytes[at + length] = 0;
  }

  #string(text: string): void {
    this.#int32(Buffer.byteLength(text) + 1);
    this.#name(text);
  }

  #element(name: string, value: Value | Buffer | readonly Buffer[], depth: number): void {
    if (name.includes('\0')) throw badValue('a field name may not contain a null byte');
    const type = Buffer.isBuffer(value) ? 3 : (typeNumber(typeOf(value as Value)) ?? 0);
    this.#byte(type);
    this.#name(name);
    if (Buffer.isBuffer(value)) this.#raw(value);
    else this.#value(value as Value, depth);
  }

  #value(value: Value, depth: number): void {
    if (typeof value === 'string') this.#string(value);
    else if (value instanceof Int32) this.#int32(value.value);
    else if (typeof value === 'number') this.#double(value);
    else if (typeof value === 'boolean') this.#byte(value ? 1 : 0);
    else if (typeof value === 'bigint') this.#int64(value);
    else if (isDocument(value)) this.document(value, depth + 1);
    else if (Array.isArray(value)) this.#array(value, depth + 1);
    else if (value instanceof Date) this.#int64(BigInt(value.getTime()));
    else if (value instanceof ObjectId) this.#raw(value.id);
    else if (value instanceof Binary) {
      this.#int32(value.position);
      this.#byte(value.sub_type);
      this.#raw(value.buffer.subarray(0, value.position));
    } else if (value instanceof Decimal128) this.#raw(value.bytes);
    else if (value instanceof BSONRegExp) {
      this.#name(value.pattern);
      this.#name(value.options);
    } else if (value instanceof Timestamp) this.#int64(BigInt.asIntN(64, value.toBigInt()));
    else if (value instanceof Code) this.#string(value.code);
  }
}
