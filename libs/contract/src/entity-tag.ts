import { hash } from 'node:crypto';
import protobuf from 'protobufjs';
import { entityTagPartOf, type EntityTagPart } from './options/field-options.ts';

/** What stands for a thing as somebody has read it, made of the bytes of the message that answers it. */
export interface EntityTagReader {
  /** Of all that the answer says: another one whenever it says anything else. */
  readonly tagOf: (message: Buffer) => string;
  /** The first part of that: of what people change of the thing. */
  readonly stateOf: (message: Buffer) => string;
}

const STATE_LENGTH = 22;
const REST_LENGTH = 11;

/** 132 bits where somebody may want to hit another one's, 66 where only a stale copy would be taken for a fresh one. */
const digest = (bytes: Uint8Array, length: number): string => hash('sha256', bytes, 'base64url').slice(0, length);

/**
 * How answers of a type get their tags. Fields are told apart by the bytes alone, so that nothing is decoded for it: one pass
 * over the top level of the message, and none where the contract says nothing of its fields.
 */
export function entityTagReader(type: protobuf.Type): EntityTagReader {
  const parts = new Map<number, EntityTagPart>();
  for (const field of type.fieldsArray) {
    const part = entityTagPartOf(field);
    if (part !== 'UNSPECIFIED') parts.set(field.id, part);
  }
  if (parts.size === 0) {
    const whole = (message: Buffer): string => digest(message, STATE_LENGTH);
    return { tagOf: whole, stateOf: whole };
  }
  const stateOf = (message: Buffer): string => digest(bytesOf(message, parts, 'UNSPECIFIED'), STATE_LENGTH);
  if (![...parts.values()].includes('REPRESENTATION')) return { tagOf: stateOf, stateOf };
  return {
    stateOf,
    tagOf: (message) => `${stateOf(message)}.${digest(bytesOf(message, parts, 'REPRESENTATION'), REST_LENGTH)}`,
  };
}

/** The state in a tag that somebody was given. */
export const stateOfTag = (tag: string): string => tag.slice(0, STATE_LENGTH);

function bytesOf(message: Buffer, parts: ReadonlyMap<number, EntityTagPart>, wanted: EntityTagPart): Buffer {
  const reader = protobuf.Reader.create(message);
  const taken: Buffer[] = [];
  /** Where the fields began that are wanted and stand next to each other. */
  let from = -1;
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    reader.skipType(tag & 7);
    const isWanted = (parts.get(tag >>> 3) ?? 'UNSPECIFIED') === wanted;
    if (isWanted && from === -1) from = start;
    if (isWanted || from === -1) continue;
    taken.push(message.subarray(from, start));
    from = -1;
  }
  if (from !== -1) taken.push(from === 0 ? message : message.subarray(from));
  return taken.length === 1 && taken[0] ? taken[0] : Buffer.concat(taken);
}
