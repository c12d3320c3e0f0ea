import type protobuf from 'protobufjs';
import type { Operation } from '../operations.ts';
import { textOf, type ByteText } from './byte-text.ts';
import type { CursorSeal } from './cursor.ts';
import { JsonWalks } from './json-walks.ts';

/** A success, ready to be sent. */
export interface Rendered {
  /** The body: JSON as text of bytes, or the bytes of what the operation's content type says; absent when it answers 204. */
  readonly body?: ByteText | Buffer;
  /** Of a body that is neither JSON nor what the operation's content type says. */
  readonly contentType?: string;
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
export function rendererCompiler(seal: CursorSeal, walks = new JsonWalks()): (operation: Operation) => Renderer {
  return ({ id, http, responseType: type }) => {
    if (!http) throw new Error(`${id} has no HTTP binding`);
    if (http.status === 204) return () => ({});
    if (http.contentType !== undefined) return rawRenderer(type);
    const { next_cursor: cursorField, total_count: countField } = type.fields;
    if (http.responseBody === undefined) {
      if (cursorField) {
        throw new Error(`${id}: an answer with next_cursor needs a response_body, or the cursor would be shown raw`);
      }
      const jsonOf = walks.of(type);
      const render: Renderer = (answer) => ({ body: jsonOf(answer) });
      return http.textField === undefined ? render : textOrElse(type, http.textField, render);
    }

    const field = type.fields[http.responseBody];
    if (!field) throw new Error(`${id}: its response_body is no field of ${type.name}`);
    const beside = [cursorField, countField].filter((each) => each !== undefined);
    const jsonOf = walks.fields(type, [field, ...beside]);
    return (answer) => {
      const [body = '', ...said] = jsonOf(answer);
      const nextCursor = cursorField ? (JSON.parse(textOf(said[0] ?? '""')) as string) : '';
      const totalCount = countField ? (JSON.parse(said.at(-1) ?? 'null') as number | null) : null;
      return {
        body,
        ...(nextCursor !== '' && { nextCursor: seal.seal(id, nextCursor) }),
        ...(totalCount !== null && { totalCount }),
      };
    };
  };
}

/** The answer's only field as it is. */
function rawRenderer(type: protobuf.Type): Renderer {
  const [field] = type.fieldsArray;
  return (answer) => {
    const decoded = type.decode(answer) as unknown as Record<string, Uint8Array>;
    return { body: Buffer.from(decoded[field?.name ?? ''] ?? []) };
  };
}

const PLAIN_TEXT = 'text/plain; charset=utf-8';

/** The text of this field where the answer has it. */
function textOrElse(type: protobuf.Type, name: string, render: Renderer): Renderer {
  return (answer) => {
    const decoded = type.decode(answer) as unknown as Record<string, string>;
    const text = Object.hasOwn(decoded, name) ? decoded[name] : undefined;
    return text === undefined ? render(answer) : { body: Buffer.from(text), contentType: PLAIN_TEXT };
  };
}
