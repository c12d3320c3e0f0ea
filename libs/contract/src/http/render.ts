import type protobuf from 'protobufjs';
import type { Operation } from '../operations.ts';
import { discriminatorOf, isFlat } from '../options.ts';
import type { CursorSeal } from './cursor.ts';
import { MessagePlanner, type ValuePlan } from './render-plan.ts';
import { JsonWriter, type PageFields } from './render-writer.ts';

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
 *
 * Measured on Node 24 with a client group (641 bytes of protobuf, 1,239 of JSON; `bench/render.ts`):
 * 3.3 µs of CPU, where decoding, JSON.stringify and encoding take 7.9 µs; JSON.stringify of the
 * decoded object alone takes 2.1 µs.
 */
export function rendererCompiler(seal: CursorSeal): (operation: Operation) => Renderer {
  const planner = new MessagePlanner();
  const writer = new JsonWriter();
  return (operation) => {
    const { http, responseType: type } = operation;
    if (!http) throw new Error(`${operation.id} has no HTTP binding`);
    if (http.status === 204) return () => ({});
    if (http.contentType !== undefined) return rawRenderer(type);
    if (http.responseBody === undefined && Object.hasOwn(type.fields, 'next_cursor')) {
      throw new Error(
        `${operation.id}: an answer with next_cursor needs a response_body, or the cursor would be shown raw`,
      );
    }

    const message = planner.plan(type);
    const write = http.responseBody
      ? pageWriter(writer, pageFields(operation, planner))
      : messageWriter(writer, {
          kind: isFlat(type) ? 'flat' : discriminatorOf(type) === undefined ? 'object' : 'union',
          wireType: 2,
          absent: Buffer.from('null'),
          message,
        });
    return (answer) => {
      let json = write(answer);
      if (writer.disordered) json = write(Buffer.from(type.encode(type.decode(answer)).finish()));
      const { nextCursor, totalCount } = writer;
      return {
        body: json,
        ...(nextCursor !== '' && { nextCursor: seal.seal(operation.id, nextCursor) }),
        ...(totalCount !== undefined && { totalCount }),
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

function messageWriter(writer: JsonWriter, plan: ValuePlan): (answer: Buffer) => Buffer {
  return (answer) => writer.message(plan, answer);
}

function pageWriter(writer: JsonWriter, fields: PageFields): (answer: Buffer) => Buffer {
  return (answer) => writer.page(fields, answer);
}

function pageFields({ http, id, responseType }: Operation, planner: MessagePlanner): PageFields {
  const index = responseType.fieldsArray
    .toSorted((a, b) => a.id - b.id)
    .findIndex((field) => field.name === http?.responseBody);
  const body = planner.plan(responseType).fields[index];
  if (!body) throw new Error(`${id}: its response_body is no field of ${responseType.name}`);
  return {
    body,
    nextCursor: responseType.fields['next_cursor']?.id ?? 0,
    totalCount: responseType.fields['total_count']?.id ?? 0,
  };
}
