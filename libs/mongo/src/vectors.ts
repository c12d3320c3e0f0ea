import { mongo } from 'mongoose';

const { Binary } = mongo;

/** As MongoDB's own search takes it: 32-bit floats in binary of a kind of its own. */
export const storedVector = (values: Float32Array): mongo.Binary => Binary.fromFloat32Array(values);

/** Plain bytes are read as well: vectors were stored so before MongoDB's search was used. */
export function vectorOf(stored: mongo.Binary): Float32Array {
  if (stored.sub_type === Binary.SUBTYPE_VECTOR) return stored.toFloat32Array();
  const copy = new Uint8Array(stored.value());
  return new Float32Array(copy.buffer, 0, Math.floor(copy.byteLength / Float32Array.BYTES_PER_ELEMENT));
}
