import protobuf from 'protobufjs';
import { fieldRules } from './options/field-options.ts';

/** The bytes that a streamed request is about: the chunks of an upload, the frames of a WebSocket. */
export interface StreamedBytes {
  /** The fields that lead to them: `chunk`; `file`, `content`. */
  readonly path: readonly protobuf.Field[];
  readonly maxLength: number;
}

/** The one field of bytes in a request, or in a message of it, that says how long they may be; undefined when there is none. */
export function streamedBytes(type: protobuf.Type, isInner = false): StreamedBytes | undefined {
  for (const field of type.fieldsArray) {
    const { maxLength } = fieldRules(field).bytes ?? {};
    if (maxLength !== undefined) return { path: [field], maxLength };
    const inner = field.resolve().resolvedType;
    const found = !isInner && inner instanceof protobuf.Type ? streamedBytes(inner, true) : undefined;
    if (found) return { ...found, path: [field, ...found.path] };
  }
  return undefined;
}
