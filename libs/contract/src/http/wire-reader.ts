import protobuf from 'protobufjs';
import { quoted, type ByteText } from './byte-text.ts';

/**
 * Goes through a message, or through one inside of another where its length is given, and answers its JSON. `depth` counts the
 * messages around it.
 */
export type Walk<Result = ByteText> = (reader: WireReader, length: number | undefined, depth: number) => Result;

/** Whoever reads a message, with its bytes as text beside them. */
export class WireReader extends protobuf.BufferReader {
  readonly text: ByteText;

  constructor(bytes: Buffer) {
    super(bytes);
    this.text = bytes.toString('latin1');
  }

  /** Goes no further than the message that begins here; answers how far it went before. */
  open(length: number | undefined, depth: number): number {
    if (depth > protobuf.Reader.recursionLimit) throw new RangeError('maximum nesting depth exceeded');
    const outer = this.len;
    if (length !== undefined) this.len = this.#end(length);
    return outer;
  }

  close(end: number, outer: number): void {
    if (this.pos !== end) throw new RangeError('index out of range');
    this.len = outer;
  }

  stringJson(): ByteText {
    const length = this.uint32();
    const start = this.pos;
    const end = this.#end(length);
    this.pos = end;
    return quoted(this.text.slice(start, end), this.buf as Buffer, start);
  }

  bytesJson(): ByteText {
    const length = this.uint32();
    const start = this.pos;
    const end = this.#end(length);
    this.pos = end;
    return `"${(this.buf as Buffer).toString('base64', start, end)}"`;
  }

  /** A varint of up to 49 bits and no sign as its digits, which next to all are; undefined, and nothing read, of another one. */
  shortVarint(): ByteText | undefined {
    let value = 0;
    let factor = 1;
    const last = Math.min(this.pos + SHORT_VARINT, this.len);
    for (let at = this.pos; at < last; at++) {
      const byte = this.buf[at] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        this.pos = at + 1;
        return String(value);
      }
      factor *= 0x80;
    }
    return undefined;
  }

  #end(length: number): number {
    const end = this.pos + length;
    if (end > this.len) throw new RangeError('index out of range');
    return end;
  }
}

const SHORT_VARINT = 7;
