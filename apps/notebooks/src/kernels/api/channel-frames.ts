import { badFrame } from '../domain/errors.ts';
import type { Channel, KernelMessage } from '../domain/kernel-provider.ts';
import { decodeFrame, encodeFrame, MAX_BUFFERS } from '../domain/message-frame.ts';

/** What a WebSocket carries at a time: a text, or bytes. */
export interface Frame {
  readonly text?: string;
  readonly binary?: Uint8Array;
}

/** How messages of kernels travel over a WebSocket. */
export interface Framing {
  /** Its subprotocol; empty for that of clients which name none. */
  readonly protocol: string;
  readonly encode: (message: KernelMessage) => Frame;
  /** MALFORMED: the frame is no message. */
  readonly decode: (frame: Frame) => KernelMessage;
}

const V1 = 'v1.kernel.websocket.jupyter.org';

/** The one that a client speaks, of those that it names. */
export const framingFor = (protocols: string): Framing =>
  protocols.split(',').some((name) => name.trim() === V1) ? v1Framing : jsonFraming;

/** A message as bytes, which are carried as they are. */
const v1Framing: Framing = {
  protocol: V1,

  encode: (message) => ({ binary: encodeFrame(message) }),

  decode({ binary }) {
    if (!binary) throw badFrame();
    const message = orNoMessage(() => decodeFrame(binary));
    return { ...message, channel: channelOfClients(message.channel) };
  },
};

/** Reading more than this as JSON would keep everybody else waiting; this takes some twenty milliseconds. */
const MAX_JSON_BYTES = 8 * 1024 * 1024;

/** One JSON object as text; with buffers, their offsets as 32-bit big-endian integers, that JSON, and the buffers. */
const jsonFraming: Framing = {
  protocol: '',

  encode({ channel, header, parentHeader, metadata, content, buffers }) {
    // As a Jupyter Server has them, beside the header; clients such as nbclient read them here alone.
    const { msg_id: id = '', msg_type: type = '' } = fieldsOf(header);
    const text =
      `{"channel":"${channel}","msg_id":${JSON.stringify(id)},"msg_type":${JSON.stringify(type)},` +
      `"header":${textOf(header)},"parent_header":${textOf(parentHeader)},` +
      `"metadata":${textOf(metadata)},"content":${textOf(content)},"buffers":[]}`;
    if (buffers.length === 0) return { text };
    const parts = [Buffer.from(text), ...buffers];
    const head = Buffer.alloc(4 * (parts.length + 1));
    head.writeUInt32BE(parts.length, 0);
    let offset = head.length;
    for (const [at, part] of parts.entries()) {
      head.writeUInt32BE(offset, 4 * (at + 1));
      offset += part.length;
    }
    return { binary: Buffer.concat([head, ...parts]) };
  },

  decode({ text, binary }) {
    const [json = '', ...buffers] = binary ? splitBinary(binary) : [text];
    if (Buffer.byteLength(json) > MAX_JSON_BYTES) throw badFrame();
    const message = orNoMessage(() => JSON.parse(String(json)) as unknown);
    if (!isObject(message)) throw badFrame();
    const part = (value: unknown): Buffer => {
      if (!isObject(value)) throw badFrame();
      // Text that is nested too deeply can be read, and not be written.
      return Buffer.from(orNoMessage(() => JSON.stringify(value)));
    };
    const { channel, header, parent_header: parentHeader, metadata, content } = message;
    return {
      channel: channelOfClients(channel ?? 'shell'),
      header: part(header),
      parentHeader: part(parentHeader ?? {}),
      metadata: part(metadata ?? {}),
      content: part(content),
      buffers: buffers as Buffer[],
    };
  },
};

function splitBinary(binary: Uint8Array): Buffer[] {
  const bytes = Buffer.from(binary.buffer, binary.byteOffset, binary.length);
  const count = bytes.length < 4 ? 0 : bytes.readUInt32BE(0);
  if (count < 1 || count > MAX_BUFFERS + 1 || bytes.length < 4 * (count + 1)) throw badFrame();
  const offsets = Array.from({ length: count }, (_, at) => bytes.readUInt32BE(4 * (at + 1)));
  return offsets.map((from, at) => {
    const to = offsets[at + 1] ?? bytes.length;
    if (from < 4 * (count + 1) || to < from || to > bytes.length) throw badFrame();
    return bytes.subarray(from, to);
  });
}

/** What clients may say; output is the kernel's alone. */
const CHANNELS: readonly Channel[] = ['shell', 'control', 'stdin'];

function channelOfClients(name: unknown): Channel {
  const channel = CHANNELS.find((known) => known === name);
  if (!channel) throw badFrame();
  return channel;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Nothing of what is no JSON, which a kernel may write. */
function fieldsOf(header: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const fields = JSON.parse(textOf(header)) as unknown;
    return isObject(fields) ? fields : {};
  } catch {
    return {};
  }
}

const textOf = (part: Uint8Array): string => (part.length === 0 ? '{}' : Buffer.from(part).toString());

function orNoMessage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw badFrame({ cause: error });
  }
}
