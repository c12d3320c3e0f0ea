import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { Channel, KernelMessage } from '../../domain/kernel-provider.ts';

/** What is read of a header; the rest passes as it is. */
export interface Header {
  readonly msg_id: string;
  readonly msg_type: string;
  readonly session: string;
}

/** Longer headers, parents and metadata are nobody's. */
const maxPartBytes = 64 * 1024;
const nothing = Buffer.from('{}');

/** A message that a kernel says, in answer to the request with this header. */
export function kernelMessage(
  channel: Channel,
  type: string,
  content: unknown,
  { session, parent = nothing, metadata = nothing }: KernelWords,
): KernelMessage {
  const header = {
    msg_id: randomUUID(),
    msg_type: type,
    session,
    username: 'kernel',
    date: new Date(),
    version: '5.3',
  };
  return {
    channel,
    header: Buffer.from(JSON.stringify(header)),
    parentHeader: parent,
    metadata,
    content: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
    buffers: [],
  };
}

/** A request of our own to a kernel. */
export function requestMessage(channel: Channel, type: string, content: object, session: string): KernelMessage {
  return kernelMessage(channel, type, content, { session });
}

interface KernelWords {
  readonly session: string;
  /** The header of the request, as bytes. */
  readonly parent?: Uint8Array;
  readonly metadata?: Uint8Array;
}

/** What is wrong with the parts of a message, in words; undefined when it can be carried. */
export function messageProblem({ header, parentHeader, metadata, content }: KernelMessage): string | undefined {
  if (readHeader(header) === undefined) return 'The header is no header of a message';
  if (readJson(parentHeader) === undefined) return 'The parent header is no JSON object';
  if (readJson(metadata) === undefined) return 'The metadata are no JSON object';
  // Contents are large, and only their reader parses them.
  return looksLikeObject(content) ? undefined : 'The content is no JSON object';
}

export function readHeader(bytes: Uint8Array): Header | undefined {
  const header = readJson(bytes);
  const { msg_id: id, msg_type: type, session } = (header ?? {}) as Partial<Record<keyof Header, unknown>>;
  if (!isName(id) || !isName(type)) return undefined;
  return { msg_id: id, msg_type: type, session: typeof session === 'string' ? session : '' };
}

/** The id of the request that a message answers; empty when there is none. */
export function parentIdOf({ parentHeader }: KernelMessage): string {
  const id = readJson(parentHeader)?.['msg_id'];
  return typeof id === 'string' ? id : '';
}

/** A JSON object of at most 64 KiB. */
export function readJson(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  if (bytes.length > maxPartBytes) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '' && value.length <= 256;

function looksLikeObject(bytes: Uint8Array): boolean {
  return bytes[0] === openingBrace && bytes.at(-1) === closingBrace && isUtf8(bytes);
}

const [openingBrace, closingBrace] = [0x7b, 0x7d];
