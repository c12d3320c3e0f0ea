import { decode, encode } from '../bson/codec.ts';
import type { Document, Value } from '../bson/values.ts';
import { isDocument } from '../bson/values.ts';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER = 16;
export const MAX_MESSAGE_BYTES = 48_000_000;

const CHECKSUM_PRESENT = 1;
const MORE_TO_COME = 2;

export interface Request {
  readonly command: Document;
  readonly wantsReply: boolean;
  /** The bytes of a reply to it. */
  reply(document: ReadonlyMap<string, Value | Buffer>): Buffer;
}

/** Cuts what arrives into messages. */
export class MessageReader {
  #parts: Buffer[] = [];
  #length = 0;

  *add(part: Buffer): Generator<Buffer> {
    this.#parts.push(part);
    this.#length += part.length;
    while (this.#length >= 4) {
      const [first] = this.#parts;
      const start = first && first.length >= 4 ? first : this.#join();
      const size = start.readInt32LE(0);
      if (size < HEADER || size > MAX_MESSAGE_BYTES) throw new Error(`a message of ${size} bytes`);
      if (this.#length < size) return;
      const all = this.#join();
      yield all.subarray(0, size);
      this.#parts = [all.subarray(size)];
      this.#length = all.length - size;
    }
  }

  #join(): Buffer {
    const [first] = this.#parts;
    const all = this.#parts.length === 1 && first ? first : Buffer.concat(this.#parts);
    this.#parts = [all];
    return all;
  }
}

let lastId = 0;

function message(operation: number, responseTo: number, parts: readonly Buffer[]): Buffer {
  const header = Buffer.allocUnsafe(HEADER);
  header.writeInt32LE(HEADER + parts.reduce((sum, { length }) => sum + length, 0), 0);
  header.writeInt32LE((lastId = (lastId + 1) & 0x7fffffff), 4);
  header.writeInt32LE(responseTo, 8);
  header.writeInt32LE(operation, 12);
  return Buffer.concat([header, ...parts]);
}

/** Throws where the bytes are no message that this server understands; the connection ends then. */
export function parseMessage(bytes: Buffer): Request {
  const id = bytes.readInt32LE(4);
  const operation = bytes.readInt32LE(12);
  if (operation === OP_MSG) return parseMsg(bytes, id);
  if (operation === OP_QUERY) return parseQuery(bytes, id);
  throw new Error(`the operation ${operation} is not understood`);
}

function parseMsg(bytes: Buffer, id: number): Request {
  const flags = bytes.readUInt32LE(HEADER);
  const end = flags & CHECKSUM_PRESENT ? bytes.length - 4 : bytes.length;
  let command: Document | undefined;
  const sequences: [string, Document[]][] = [];
  let at = HEADER + 4;
  while (at < end) {
    const kind = bytes[at];
    at += 1;
    const size = bytes.readInt32LE(at);
    if (size < 5 || at + size > end) throw new Error('a section that is longer than its message');
    if (kind === 0) command = decode(bytes, at);
    else if (kind === 1) sequences.push(sequence(bytes.subarray(at, at + size)));
    else throw new Error(`a section of the kind ${kind}`);
    at += size;
  }
  if (!command) throw new Error('a message without a command');
  for (const [name, documents] of sequences) command.set(name, documents);
  return {
    command,
    wantsReply: (flags & MORE_TO_COME) === 0,
    reply: (document) => message(OP_MSG, id, [Buffer.alloc(5), encode(document)]),
  };
}

function sequence(section: Buffer): [string, Document[]] {
  const end = section.indexOf(0, 4);
  const documents: Document[] = [];
  for (let at = end + 1; at < section.length;) {
    documents.push(decode(section, at));
    at += section.readInt32LE(at);
  }
  return [section.toString('utf8', 4, end), documents];
}

/** How drivers say hello before they know what a server understands. */
function parseQuery(bytes: Buffer, id: number): Request {
  const nameEnd = bytes.indexOf(0, HEADER + 4);
  const name = bytes.toString('utf8', HEADER + 4, nameEnd);
  const query = decode(bytes, nameEnd + 1 + 8);
  const inner = query.get('$query');
  const command = isDocument(inner) ? inner : query;
  command.set('$db', name.replace(/\.\$cmd$/, ''));
  return {
    command,
    wantsReply: true,
    reply(document) {
      const head = Buffer.alloc(20);
      head.writeInt32LE(8, 0);
      head.writeInt32LE(1, 16);
      return message(OP_REPLY, id, [head, encode(document)]);
    },
  };
}
