import type protobuf from 'protobufjs';
import type { Operation } from '../operations.ts';
import type { CursorSeal } from './cursor.ts';
import { MessageJson } from './message-json.ts';

/** A success, ready to be sent. */
export interface Rendered {
  /** The body: JSON in UTF-8, or what the operation's content type says; absent when it answers 204. */
  readonly body?: Buffer;
  /** Sealed: stands for the next page. Absent on the last one. */
  readonly nextCursor?: string;
  /** Only when the client asked for it. */
  readonly totalCount?: number;
}

export type Renderer = (answer: Buffer) => Rendered;

/**
 * Makes the renderers of operations: protobuf bytes in, JSON out.
 *
 * Absent messages, optional fields and enums without a value are null, lists `[]`, maps `{}`;
 * timestamps are ISO 8601 in UTC, 64-bit integers exact numbers, bytes base64. Fields come in the
 * order of their numbers. Unknown fields are ignored.
 */
export function rendererCompiler(seal: CursorSeal, messages = new MessageJson()): (operation: Operation) => Renderer {
  return ({ id, http, responseType: type }) => {
    if (!http) throw new Error(`${id} has no HTTP binding`);
    if (http.status === 204) return () => ({});
    if (http.contentType !== undefined) return rawRenderer(type);
    if (http.responseBody === undefined) {
      if (Object.hasOwn(type.fields, 'next_cursor')) {
        throw new Error(`${id}: an answer with next_cursor needs a response_body, or the cursor would be shown raw`);
      }
      const toJson = messages.of(type);
      return (answer) => ({ body: jsonBytes(toJson(type.decode(answer))) });
    }

    const field = type.fields[http.responseBody];
    if (!field) throw new Error(`${id}: its response_body is no field of ${type.name}`);
    const { read } = messages.member(field);
    return (answer) => {
      const page = type.decode(answer) as protobuf.Message & PageMessage;
      const { next_cursor: nextCursor = '' } = page;
      return {
        body: jsonBytes(read(page)),
        ...(nextCursor !== '' && { nextCursor: seal.seal(id, nextCursor) }),
        ...(Object.hasOwn(page, 'total_count') && { totalCount: page.total_count }),
      };
    };
  };
}

interface PageMessage extends Readonly<Record<string, unknown>> {
  readonly next_cursor?: string;
  readonly total_count?: number;
}

const jsonBytes = (json: unknown): Buffer => Buffer.from(JSON.stringify(json), 'utf8');

/** The answer's only field as it is. */
function rawRenderer(type: protobuf.Type): Renderer {
  const [field] = type.fieldsArray;
  return (answer) => {
    const decoded = type.decode(answer) as unknown as Record<string, Uint8Array>;
    return { body: Buffer.from(decoded[field?.name ?? ''] ?? []) };
  };
}
