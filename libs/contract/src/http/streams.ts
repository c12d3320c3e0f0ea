import protobuf from 'protobufjs';
import { headerName } from '../field-location.ts';
import type { Operation } from '../operations.ts';
import { fieldRules } from '../options/field-options.ts';
import { lengthDelimited, tag } from '../plans/wire.ts';
import { streamedBytes, type StreamedBytes } from '../streamed-bytes.ts';
import type { ByteText } from './byte-text.ts';
import type { JsonWalks } from './json-walks.ts';

/** How the messages of a streaming operation travel over HTTP; see docs/decisions/0036-streams-over-http.md. */
export type Stream = EventStream | Download | Upload | Channel;

interface StreamedAnswer {
  /** What the first message puts into headers of the HTTP answer, flat: name, value, name, value. */
  readonly headers: (first: Buffer) => string[];
}

/** Each message is a server-sent event. */
export interface EventStream extends StreamedAnswer {
  readonly kind: 'events';
  /** The lines of the event, with the empty one that ends it. */
  readonly piece: (message: Buffer) => ByteText;
  /** What is told when there are no more; empty: nothing. */
  readonly last: string;
}

/** Each message is a piece of the body. */
export interface Download extends StreamedAnswer {
  readonly kind: 'download';
  readonly piece: (message: Buffer) => Buffer;
}

/** The first request has what the path, query, headers and form say; those after it have the pieces of the body. */
export interface Upload {
  readonly kind: 'upload';
  /** Of the body, or of the file in a form, in bytes. */
  readonly maxLength: number;
  /** The form's part that is the file; undefined when the whole body is. */
  readonly filePart: string | undefined;
  /** The beginning of a message that has a piece of the body and nothing else, and that these bytes end, so that they need not be copied. */
  readonly beforeChunk: (length: number) => Buffer;
}

/** A WebSocket: each message is a frame, after a first one both ways that opens it. */
export interface Channel extends StreamedAnswer {
  readonly kind: 'channel';
  /** Of a frame, in bytes. */
  readonly maxLength: number;
  readonly frame: (content: Buffer | string) => Buffer;
  /** The frame in an answer; undefined when it has none. */
  readonly content: (message: Buffer) => Buffer | string | undefined;
}

/** How an operation streams; undefined when it does not. Throws when the contract does not say enough. */
export function streamOf(operation: Operation, walks: JsonWalks): Stream | undefined {
  const { id, http, requestType, responseType, requestStream, responseStream } = operation;
  if (!requestStream && !responseStream) return undefined;
  const streamed = requestStream ? streamedBytes(requestType) : undefined;
  if (requestStream && !streamed) {
    throw new Error(`${id}: the bytes of its requests need a limit: (platform.options.v1.rules).bytes.max_length`);
  }
  const body = http?.responseBody === undefined ? undefined : responseType.fields[http.responseBody];
  if (streamed && !responseStream) return upload(streamed);
  if (streamed) return channel(id, streamed, responseType, body);
  if (body?.type === 'bytes') return download(responseType, body);
  return { ...eventStream(responseType, body, walks), last: http?.dialect.openAi ? 'data: [DONE]\n\n' : '' };
}

function eventStream(
  type: protobuf.Type,
  body: protobuf.Field | undefined,
  walks: JsonWalks,
): Omit<EventStream, 'last'> {
  // Beside the field that is the data, these make the event's other lines.
  const lines = Object.entries(body ? eventLines : {}).flatMap(([name, line]) => {
    const field = type.fields[name];
    return field ? [{ line, field }] : [];
  });
  const whole = walks.of(type);
  const parts = body && walks.fields(type, [body, ...lines.map(({ field }) => field)]);
  return {
    kind: 'events',
    headers: headersOf(type),
    piece: (message) => {
      const [data = '', ...beside] = parts ? parts(message) : [whole(message)];
      const text = lines.map(({ line }, index) => {
        const value = JSON.parse(beside[index] ?? 'null') as string | number | null;
        return value === null || value === '' || value === 0 ? '' : `${line}: ${oneLine(String(value))}\n`;
      });
      return `${text.join('')}data: ${data}\n\n`;
    },
  };
}

/** The fields beside the data of an event, and the lines that they make. */
export const eventLines: Readonly<Record<string, string>> = { event: 'event', event_id: 'id', retry_ms: 'retry' };

function oneLine(value: string): string {
  if (/[\r\n\0]/.test(value)) throw new Error('an event has a name or id of several lines');
  return value;
}

function download(type: protobuf.Type, body: protobuf.Field): Download {
  return { kind: 'download', headers: headersOf(type), piece: (bytes) => bytesIn(type.decode(bytes), body) };
}

function upload({ path, maxLength }: StreamedBytes): Upload {
  const [outer, inner] = path as [protobuf.Field, protobuf.Field?];
  return {
    kind: 'upload',
    maxLength,
    filePart: inner && fieldRules(outer).file,
    beforeChunk: (length) => beforeContent(inner ? [outer, inner] : [outer], length),
  };
}

function channel(
  id: string,
  { path, maxLength }: StreamedBytes,
  type: protobuf.Type,
  body: protobuf.Field | undefined,
): Channel {
  const [outer, binary] = path as [protobuf.Field, protobuf.Field?];
  const frame = body?.resolvedType;
  const text = outer.resolvedType instanceof protobuf.Type ? outer.resolvedType.fields['text'] : undefined;
  if (!body || !binary || !text || frame !== outer.resolvedType) {
    throw new Error(`${id}: its body and its response_body need one message with a field text and a field of bytes`);
  }
  return {
    kind: 'channel',
    headers: headersOf(type),
    maxLength,
    frame: (content) => written(outer, typeof content === 'string' ? text : binary, content),
    content: (bytes) => {
      const decoded = (type.decode(bytes) as unknown as Message)[body.name] as protobuf.Message | null;
      if (!decoded) return undefined;
      return Object.hasOwn(decoded, text.name)
        ? (decoded as unknown as { text: string }).text
        : bytesIn(decoded, binary);
    },
  };
}

type Message = Readonly<Record<string, unknown>>;

function bytesIn(message: protobuf.Message, { name }: protobuf.Field): Buffer {
  const bytes = (message as unknown as Message)[name];
  return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
}

/** A message with nothing but this content, in a field of its own or of a message in it. */
function written(outer: protobuf.Field, inner: protobuf.Field | undefined, content: Buffer | string): Buffer {
  const writer = protobuf.Writer.create();
  if (inner) writer.uint32(tag(outer.id, lengthDelimited)).fork();
  writer.uint32(tag((inner ?? outer).id, lengthDelimited));
  if (typeof content === 'string') writer.string(content);
  else writer.bytes(content);
  return (inner ? writer.ldelim() : writer).finish() as Buffer;
}

/** What stands before content of so many bytes, in a field of a message, of a field of its message and so on. */
function beforeContent(path: readonly protobuf.Field[], length: number): Buffer {
  return path.reduceRight<Buffer>((inside, { id }) => {
    const writer = protobuf.Writer.create()
      .uint32(tag(id, lengthDelimited))
      .uint32(inside.length + length);
    return Buffer.concat([writer.finish(), inside]);
  }, Buffer.alloc(0));
}

function headersOf(type: protobuf.Type): StreamedAnswer['headers'] {
  const fields = type.fieldsArray.filter((field) => fieldRules(field).header !== undefined);
  return (first) => {
    const message = type.decode(first) as unknown as Message;
    return fields.flatMap((field) => {
      const value = message[field.name];
      const isGiven = Object.hasOwn(message, field.name) && value !== '';
      return isGiven ? [fieldRules(field).header ?? headerName(field), String(value)] : [];
    });
  };
}
