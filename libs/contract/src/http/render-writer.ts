import { isUtf8 } from 'node:buffer';
import type { FieldPlan, MessagePlan, ValuePlan } from './render-plan.ts';

const comma = 0x2c;
const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

const nullText = Buffer.from('null');
const trueText = Buffer.from('true');
const falseText = Buffer.from('false');
const emptyText = Buffer.from('""');

/** What follows the backslash for bytes that JSON strings cannot hold; 0: none needed; 1: `u00xx`. */
const escapes = new Uint8Array(256);
escapes.fill(1, 0, 0x20);
for (const [character, letter] of Object.entries({
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\f': 'f',
  '\r': 'r',
  '"': '"',
  '\\': '\\',
})) {
  escapes[character.charCodeAt(0)] = letter.charCodeAt(0);
}

/** Copies shorter than this are faster by hand than by a call into native code. */
const shortCopy = 96;
/** The scratch buffer goes back to this size after a larger answer. */
const scratchSize = 256 * 1024;

/** A page cut out of an answer whose list is the whole JSON body. */
export interface PageFields {
  readonly body: FieldPlan;
  /** Field numbers; 0 for an answer without. */
  readonly nextCursor: number;
  readonly totalCount: number;
}

/**
 * Writes the JSON of a protobuf message straight from its wire bytes, without building objects or
 * strings: text is copied as the UTF-8 it already is.
 *
 * Fields are written while they are read, which works as long as they come in the order of their
 * numbers and each once, as every encoder sends them. Otherwise `disordered` is set and the output
 * is worthless; the caller then brings the fields into order and writes again.
 *
 * One writer serves the whole process: a rendering never waits for anything.
 */
export class JsonWriter {
  disordered = false;
  /** Of the page last written. */
  nextCursor = '';
  totalCount: number | undefined;

  private input: Buffer = Buffer.alloc(0);
  private pos = 0;
  private output: Buffer = Buffer.allocUnsafeSlow(scratchSize);
  private out = 0;
  private high = 0;

  /** The JSON of a whole message. */
  message(plan: ValuePlan, bytes: Buffer): Buffer {
    this.begin(bytes);
    this.value(plan, bytes.length);
    return this.finish();
  }

  /** The JSON of one field of a message, with the page's own fields beside it. */
  page(fields: PageFields, bytes: Buffer): Buffer {
    this.begin(bytes);
    const { body } = fields;
    const end = bytes.length;
    while (this.pos < end) {
      const tag = this.varint();
      const number = tag >>> 3;
      if (number === body.number) {
        if (body.form === 'one') this.out = 0;
        else if (this.out === 0) this.byte(body.form === 'map' ? openBrace : openBracket);
        this.fieldValue(body, tag & 7, end);
      } else if (number === fields.nextCursor && (tag & 7) === 2) {
        const to = this.delimited(end);
        this.nextCursor = this.input.toString('utf8', this.pos, to);
        this.pos = to;
      } else if (number === fields.totalCount && (tag & 7) === 0) {
        this.totalCount = this.varint();
      } else {
        this.skip(tag & 7, end);
      }
    }
    if (this.out === 0) this.bytes(body.absent);
    else if (body.form !== 'one') this.byte(body.form === 'map' ? closeBrace : closeBracket);
    return this.finish();
  }

  private begin(bytes: Buffer): void {
    this.input = bytes;
    this.pos = 0;
    this.out = 0;
    this.high = 0;
    this.disordered = false;
    this.nextCursor = '';
    this.totalCount = undefined;
  }

  private finish(): Buffer {
    const written = this.output.subarray(0, this.out);
    // A string that is no UTF-8 gets replacement characters, as decoding it would.
    const json =
      this.high < 0x80 || isUtf8(written) ? Buffer.from(written) : Buffer.from(written.toString('utf8'), 'utf8');
    if (this.output.length > scratchSize) this.output = Buffer.allocUnsafeSlow(scratchSize);
    this.input = nullText; // lets go of the answer
    return json;
  }

  /** `,"a":1,"b":2` of the message that ends at `end`. */
  private members(plan: MessagePlan, end: number): void {
    const { fields, byTag } = plan;
    let current = -1;
    let close = 0;
    let oneofs = 0;
    while (this.pos < end) {
      const tag = this.varint();
      const field = byTag[tag];
      if (field === undefined) {
        this.skip(tag & 7, end);
        continue;
      }
      const { index } = field;
      if (index !== current || close === 0) {
        if (index <= current || (oneofs & field.oneofBit) !== 0) {
          this.disordered = true;
          this.skip(tag & 7, end);
          continue;
        }
        if (close !== 0) this.byte(close);
        while (++current < index) this.bytes((fields[current] as FieldPlan).whenAbsent);
        oneofs |= field.oneofBit;
        close = 0;
        if (field.whenAbsent.length === 0 && field.form === 'one') {
          this.unlessEmpty(field, tag & 7, end);
          continue;
        }
        this.bytes(field.key);
        if (field.form === 'list') {
          this.byte(openBracket);
          close = closeBracket;
        } else if (field.form === 'map') {
          this.byte(openBrace);
          close = closeBrace;
        }
      }
      this.fieldValue(field, tag & 7, end);
    }
    if (this.pos !== end) throw new RangeError('malformed message: a value ends behind its message');
    if (close !== 0) this.byte(close);
    while (++current < fields.length) this.bytes((fields[current] as FieldPlan).whenAbsent);
  }

  /** A field that is left out without a value; encoders may send the empty value all the same. */
  private unlessEmpty(field: FieldPlan, wireType: number, end: number): void {
    const start = this.out;
    this.bytes(field.key);
    const from = this.out;
    this.fieldValue(field, wireType, end);
    if (field.absent.equals(this.output.subarray(from, this.out))) this.out = start;
  }

  /** The value of a field whose tag was just read: one value, one list item or more, or one map entry. */
  private fieldValue(field: FieldPlan, wireType: number, end: number): void {
    if (field.form === 'one') {
      this.value(field.value, field.value.wireType === 2 ? this.delimited(end) : end);
    } else if (field.form === 'map') {
      this.entry(field, this.delimited(end));
    } else if (wireType === 2 && field.value.wireType !== 2) {
      const to = this.delimited(end);
      while (this.pos < to) this.item(field.value, to);
    } else {
      this.item(field.value, wireType === 2 ? this.delimited(end) : end);
    }
  }

  private item(plan: ValuePlan, end: number): void {
    // A value of an enum that is not known here is no item.
    if (plan.kind === 'enum') {
      const name = plan.names?.[this.varint()];
      if (name === undefined) return;
      this.separate(openBracket);
      this.bytes(name);
      return;
    }
    this.separate(openBracket);
    this.value(plan, end);
  }

  private separate(opening: number): void {
    if (this.output[this.out - 1] !== opening) this.byte(comma);
  }

  private entry(field: FieldPlan, end: number): void {
    let keyAt = -1;
    let valueAt = -1;
    while (this.pos < end) {
      const tag = this.varint();
      if (tag >>> 3 === 1) keyAt = this.pos;
      else if (tag >>> 3 === 2) valueAt = this.pos;
      this.skip(tag & 7, end);
    }
    this.separate(openBrace);
    this.mapKey(field.mapKey as ValuePlan, keyAt, end);
    this.byte(colon);
    if (valueAt >= 0) {
      this.pos = valueAt;
      this.value(field.value, field.value.wireType === 2 ? this.delimited(end) : end);
    } else if (field.value.message) {
      this.pos = end;
      this.value(field.value, end);
    } else {
      this.bytes(field.value.absent);
    }
    this.pos = end;
  }

  private mapKey(plan: ValuePlan, at: number, end: number): void {
    this.pos = at;
    if (plan.kind === 'string') {
      if (at < 0) this.bytes(emptyText);
      else this.string(this.delimited(end));
      return;
    }
    this.byte(quote);
    if (at < 0) this.bytes(plan.absent);
    else this.value(plan, end);
    this.byte(quote);
  }

  /** One value that starts here; one of a delimited kind ends at `end`. */
  private value(plan: ValuePlan, end: number): void {
    switch (plan.kind) {
      case 'string':
        this.string(end);
        break;
      case 'bool':
        this.bytes(this.varint() === 0 ? falseText : trueText);
        break;
      case 'int32':
        this.number(this.varint() | 0);
        break;
      case 'uint32':
        this.number(this.varint() >>> 0);
        break;
      case 'sint32': {
        const zigzag = this.varint() >>> 0;
        this.number((zigzag >>> 1) ^ -(zigzag & 1));
        break;
      }
      case 'enum':
        this.bytes(plan.names?.[this.varint()] ?? nullText);
        break;
      case 'int64':
      case 'uint64':
      case 'sint64':
        this.wideVarint(plan.kind);
        break;
      case 'fixed64':
        this.ascii(this.input.readBigUInt64LE(this.fixed(8)).toString());
        break;
      case 'sfixed64':
        this.ascii(this.input.readBigInt64LE(this.fixed(8)).toString());
        break;
      case 'fixed32':
        this.number(this.input.readUInt32LE(this.fixed(4)));
        break;
      case 'sfixed32':
        this.number(this.input.readInt32LE(this.fixed(4)));
        break;
      case 'double':
        this.number(this.input.readDoubleLE(this.fixed(8)));
        break;
      case 'float':
        this.number(this.input.readFloatLE(this.fixed(4)));
        break;
      case 'bytes':
        this.base64(end);
        break;
      case 'timestamp':
        this.timestamp(end);
        break;
      case 'json':
        this.json(end);
        break;
      case 'jsonObject':
        this.jsonObject(end);
        break;
      case 'jsonList':
        this.jsonList(end);
        break;
      case 'object':
        this.object(plan.message as MessagePlan, end);
        break;
      case 'flat':
        this.flat(plan.message as MessagePlan, end);
        break;
      case 'union':
        this.union(plan.message as MessagePlan, end);
        break;
    }
  }

  private object(plan: MessagePlan, end: number): void {
    const start = this.out;
    this.members(plan, end);
    if (this.out === start) this.byte(openBrace);
    else this.output[start] = openBrace; // in place of the first comma
    this.byte(closeBrace);
  }

  private flat(plan: MessagePlan, end: number): void {
    const field = plan.fields[0] as FieldPlan;
    const start = this.out;
    while (this.pos < end) {
      const tag = this.varint();
      if (tag >>> 3 !== field.number) {
        this.skip(tag & 7, end);
        continue;
      }
      if (field.form === 'one') this.out = start;
      else if (this.out === start) this.byte(field.form === 'map' ? openBrace : openBracket);
      this.fieldValue(field, tag & 7, end);
    }
    if (this.out === start) this.bytes(field.absent);
    else if (field.form !== 'one') this.byte(field.form === 'map' ? closeBrace : closeBracket);
  }

  private union(plan: MessagePlan, end: number): void {
    const start = this.out;
    while (this.pos < end) {
      const tag = this.varint();
      const field = plan.byTag[tag];
      if (field === undefined) {
        this.skip(tag & 7, end);
        continue;
      }
      this.out = start; // the last member counts
      this.bytes(field.unionOpening as Buffer);
      this.members(field.value.message as MessagePlan, this.delimited(end));
      this.byte(closeBrace);
    }
    if (this.out === start) this.bytes(nullText);
  }

  /** A google.protobuf.Value. */
  private json(end: number): void {
    const start = this.out;
    while (this.pos < end) {
      const tag = this.varint();
      const before = this.out;
      this.out = start; // the last kind counts
      switch (tag) {
        case 0x08:
          this.varint();
          this.bytes(nullText);
          break;
        case 0x11:
          this.number(this.input.readDoubleLE(this.fixed(8)));
          break;
        case 0x1a:
          this.string(this.delimited(end));
          break;
        case 0x20:
          this.bytes(this.varint() === 0 ? falseText : trueText);
          break;
        case 0x2a:
          this.jsonObject(this.delimited(end));
          break;
        case 0x32:
          this.jsonList(this.delimited(end));
          break;
        default:
          this.out = before;
          this.skip(tag & 7, end);
      }
    }
    if (this.out === start) this.bytes(nullText);
  }

  private jsonObject(end: number): void {
    this.byte(openBrace);
    while (this.pos < end) {
      const tag = this.varint();
      if (tag === 0x0a) this.entry(structField, this.delimited(end));
      else this.skip(tag & 7, end);
    }
    this.byte(closeBrace);
  }

  private jsonList(end: number): void {
    this.byte(openBracket);
    while (this.pos < end) {
      const tag = this.varint();
      if (tag === 0x0a) this.item(jsonValue, this.delimited(end));
      else this.skip(tag & 7, end);
    }
    this.byte(closeBracket);
  }

  /** The text from here to `end`, quoted and escaped. */
  private string(end: number): void {
    this.reserve(end - this.pos + 2);
    const { input } = this;
    let { output, out, high, pos } = this;
    output[out++] = quote;
    if (end - pos >= shortCopy) {
      // A long text is copied in runs between the bytes that need an escape.
      let from = pos;
      for (; pos < end; pos++) {
        const byte = input[pos] as number;
        high |= byte;
        if (escapes[byte] === 0) continue;
        output.set(input.subarray(from, pos), out);
        this.out = out + pos - from;
        this.escape(byte, end - pos);
        ({ output, out } = this);
        from = pos + 1;
      }
      output.set(input.subarray(from, end), out);
      out += end - from;
    } else {
      for (; pos < end; pos++) {
        const byte = input[pos] as number;
        high |= byte;
        if (escapes[byte] === 0) {
          output[out++] = byte;
        } else {
          this.out = out;
          this.escape(byte, end - pos);
          ({ output, out } = this);
        }
      }
    }
    output[out++] = quote;
    this.pos = end;
    this.out = out;
    this.high = high;
  }

  private escape(byte: number, left: number): void {
    this.reserve(left + 7);
    const letter = escapes[byte] as number;
    this.output[this.out++] = backslash;
    if (letter === 1) this.ascii(`u${byte.toString(16).padStart(4, '0')}`);
    else this.output[this.out++] = letter;
  }

  private base64(end: number): void {
    this.byte(quote);
    this.ascii(this.input.toString('base64', this.pos, end));
    this.byte(quote);
    this.pos = end;
  }

  /**
   * A google.protobuf.Timestamp as ISO 8601 in UTC: `2026-11-21T05:00:00Z`, with milliseconds
   * (`.123Z`) when there are any. Services keep milliseconds; what is finer is cut off.
   */
  private timestamp(end: number): void {
    let seconds = 0;
    let nanos = 0;
    while (this.pos < end) {
      const tag = this.varint();
      if (tag === 0x08) seconds = Number(this.signed64());
      else if (tag === 0x10) nanos = this.varint();
      else this.skip(tag & 7, end);
    }
    const milliseconds = Math.trunc(nanos / 1_000_000);
    const days = Math.floor(seconds / 86_400);
    // 0001-01-01 to 9999-12-31, the range of a timestamp.
    if (days < -719_162 || days > 2_932_896) {
      this.bytes(nullText);
      return;
    }

    // The proleptic Gregorian calendar in eras of 400 years that begin on 1 March.
    const shifted = days + 719_468;
    const era = Math.floor(shifted / 146_097);
    const dayOfEra = shifted - era * 146_097;
    const yearOfEra = Math.trunc(
      (dayOfEra - Math.trunc(dayOfEra / 1_460) + Math.trunc(dayOfEra / 36_524) - Math.trunc(dayOfEra / 146_096)) / 365,
    );
    const dayOfYear = dayOfEra - (365 * yearOfEra + Math.trunc(yearOfEra / 4) - Math.trunc(yearOfEra / 100));
    const marchMonth = Math.trunc((5 * dayOfYear + 2) / 153);
    const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
    const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    const second = seconds - days * 86_400;

    this.reserve(28);
    this.output[this.out++] = quote;
    this.twoDigits(Math.trunc(year / 100));
    this.twoDigits(year % 100);
    this.output[this.out++] = 0x2d;
    this.twoDigits(month);
    this.output[this.out++] = 0x2d;
    this.twoDigits(dayOfYear - Math.trunc((153 * marchMonth + 2) / 5) + 1);
    this.output[this.out++] = 0x54; // T
    this.twoDigits(Math.trunc(second / 3_600));
    this.output[this.out++] = colon;
    this.twoDigits(Math.trunc(second / 60) % 60);
    this.output[this.out++] = colon;
    this.twoDigits(second % 60);
    if (milliseconds !== 0) {
      this.output[this.out++] = 0x2e;
      this.output[this.out++] = 0x30 + Math.trunc(milliseconds / 100);
      this.twoDigits(milliseconds % 100);
    }
    this.output[this.out++] = 0x5a; // Z
    this.output[this.out++] = quote;
  }

  private twoDigits(value: number): void {
    const tens = Math.trunc(value / 10);
    this.output[this.out++] = 0x30 + tens;
    this.output[this.out++] = 0x30 + value - tens * 10;
  }

  /** JSON has no NaN and no infinity: they are null, as JSON.stringify has it. */
  private number(value: number): void {
    if (Number.isFinite(value)) this.ascii(String(value === 0 ? 0 : value));
    else this.bytes(nullText);
  }

  private wideVarint(kind: 'int64' | 'uint64' | 'sint64'): void {
    if (kind === 'int64') this.ascii(String(this.signed64()));
    else if (kind === 'uint64') this.ascii(String(this.unsigned64()));
    else {
      const zigzag = BigInt(this.unsigned64());
      this.ascii(String((zigzag >> 1n) ^ -(zigzag & 1n)));
    }
  }

  private signed64(): number | bigint {
    const value = this.unsigned64();
    return typeof value === 'number' ? value : BigInt.asIntN(64, value);
  }

  /** A varint of up to 64 bits: a number while that is exact. */
  private unsigned64(): number | bigint {
    let low = 0;
    let factor = 1;
    for (let count = 0; count < 7; count++) {
      const byte = this.inputByte();
      low += (byte & 0x7f) * factor;
      if (byte < 0x80) return low;
      factor *= 128;
    }
    // 49 bits are read; up to 15 are left.
    let high = 0n;
    let shift = 0n;
    for (let count = 0; count < 3; count++) {
      const byte = this.inputByte();
      high |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, (high << 49n) | BigInt(low));
      shift += 7n;
    }
    throw new RangeError('malformed message: a varint is longer than 10 bytes');
  }

  /** A varint, cut to its low 32 bits (unsigned). */
  private varint(): number {
    const first = this.inputByte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let shift = 7; shift < 70; shift += 7) {
      const byte = this.inputByte();
      if (shift < 32) value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
    throw new RangeError('malformed message: a varint is longer than 10 bytes');
  }

  private inputByte(): number {
    const byte = this.input[this.pos++];
    if (byte === undefined) throw new RangeError('malformed message: it ends too early');
    return byte;
  }

  /** Reads a length; answers where what it covers ends. */
  private delimited(end: number): number {
    const length = this.varint();
    const to = this.pos + length;
    if (to > end) throw new RangeError('malformed message: a field ends behind its message');
    return to;
  }

  /** Passes over a value of fixed size; answers where it starts. */
  private fixed(size: number): number {
    const at = this.pos;
    this.pos += size;
    return at;
  }

  private skip(wireType: number, end: number): void {
    if (wireType === 0) this.unsigned64();
    else if (wireType === 1) this.pos += 8;
    else if (wireType === 2) this.pos = this.delimited(end);
    else if (wireType === 5) this.pos += 4;
    else throw new RangeError(`malformed message: wire type ${wireType}`);
  }

  private byte(value: number): void {
    this.reserve(1);
    this.output[this.out++] = value;
  }

  private bytes(source: Buffer): void {
    const { length } = source;
    this.reserve(length);
    const { output } = this;
    let { out } = this;
    for (let at = 0; at < length; at++) output[out++] = source[at] as number;
    this.out = out;
  }

  private ascii(text: string): void {
    const { length } = text;
    this.reserve(length);
    if (length > shortCopy) {
      this.out += this.output.write(text, this.out, 'latin1');
      return;
    }
    const { output } = this;
    let { out } = this;
    for (let at = 0; at < length; at++) output[out++] = text.charCodeAt(at);
    this.out = out;
  }

  private reserve(size: number): void {
    if (this.out + size > this.output.length) this.grow(size);
  }

  private grow(size: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(this.output.length * 2, this.out + size));
    this.output.copy(larger, 0, 0, this.out);
    this.output = larger;
  }
}

const jsonValue: ValuePlan = { kind: 'json', wireType: 2, absent: nullText };

/** The map inside a google.protobuf.Struct. */
const structField: FieldPlan = {
  index: 0,
  number: 1,
  form: 'map',
  key: emptyText,
  whenAbsent: emptyText,
  absent: emptyText,
  value: jsonValue,
  mapKey: { kind: 'string', wireType: 2, absent: emptyText },
  oneofBit: 0,
};
