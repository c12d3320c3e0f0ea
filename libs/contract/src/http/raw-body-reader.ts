import type protobuf from 'protobufjs';
import { lengthDelimited, tag } from '../plans/wire.ts';
import { decodedBody, type BodyReader } from './body-reader.ts';

/** A body that is passed on byte for byte, whatever its content type says: a signature may cover it. */
export function rawBodyReader(field: protobuf.Field): BodyReader {
  const key = tag(field.id, lengthDelimited);
  return {
    open: ({ body }) => decodedBody(body ?? Buffer.alloc(0)),
    read: (value) => value,
    write: (writer, value) => writer.uint32(key).bytes(value as Buffer),
  };
}
