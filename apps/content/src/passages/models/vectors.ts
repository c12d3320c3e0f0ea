import { upstreamFailed } from '@platform-backend/core';

/** The vector with length 1. UPSTREAM_FAILED: it has no direction, or is none at all. */
export function unitVector(values: ArrayLike<number>): Float32Array {
  const vector = Float32Array.from(values);
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(squares > 0 && squares < Infinity))
    throw upstreamFailed(new Error('the encoder answered with no usable vector'));
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/** Encoders refuse a text without content, and need as long for one of a megabyte as for a thousand passages. */
export const encodable = (text: string, maxLength: number): string =>
  text.trim() === '' ? '.' : text.slice(0, maxLength).toWellFormed();

/** Parts of at most `size` items, in their order. */
export function inBatches<Item>(items: readonly Item[], size: number): Item[][] {
  const batches: Item[][] = [];
  for (let start = 0; start < items.length; start += size) batches.push(items.slice(start, start + size));
  return batches;
}
