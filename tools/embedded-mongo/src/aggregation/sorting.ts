import type { Document, Value } from '../bson/values.ts';
import { isDocument } from '../bson/values.ts';
import { ServerError } from '../errors.ts';
import { sortKey, type KeyPart } from '../query/sort-keys.ts';

interface Keyed {
  readonly key: Buffer;
  readonly document: Document;
}

const byKey = (one: Keyed, other: Keyed): number => Buffer.compare(one.key, other.key);

/** Bytes, about, that a sort holds in memory, as in MongoDB. */
const MEMORY = 100 * 1024 * 1024;

/** So many are sorted at once, before others have their turn. */
const RUN = 2_048;

/**
 * Sorts in runs that are merged two by two, so that the loop is free in between. Where there is a limit no more are kept
 * than it asks for.
 */
export async function* sorted(
  input: AsyncIterable<Document[]>,
  parts: readonly KeyPart[],
  limit: number | undefined,
  pause: () => Promise<void>,
): AsyncGenerator<Document[]> {
  const runs: Keyed[][] = [];
  let current: Keyed[] = [];
  let bytes = 0;
  for await (const batch of input) {
    for (const document of batch) {
      const key = sortKey(document, parts);
      bytes += key.length + approximateBytes(document);
      current.push({ key, document });
    }
    if (current.length >= Math.max(RUN, (limit ?? 0) * 2)) {
      await pause();
      current.sort(byKey);
      if (limit === undefined) {
        runs.push(current);
        current = [];
      } else if (current.length > limit) {
        current.length = limit;
        bytes = current.reduce((sum, { key, document }) => sum + key.length + approximateBytes(document), 0);
      }
    }
    if (bytes > MEMORY)
      throw new ServerError(
        292,
        'Sort exceeded memory limit of 104857600 bytes, but did not opt in to external sorting.',
      );
  }
  runs.push(current.sort(byKey));
  let merged = await mergeAll(runs, pause);
  if (limit !== undefined) merged = merged.slice(0, limit);
  for (let start = 0; start < merged.length; start += BATCH) {
    await pause();
    yield merged.slice(start, start + BATCH).map(({ document }) => document);
  }
}

const BATCH = 256;

async function mergeAll(runs: Keyed[][], pause: () => Promise<void>): Promise<Keyed[]> {
  let level = runs;
  while (level.length > 1) {
    const next: Keyed[][] = [];
    for (let at = 0; at < level.length; at += 2) next.push(await merge(level[at] ?? [], level[at + 1] ?? [], pause));
    level = next;
  }
  return level[0] ?? [];
}

/** What is equal keeps its order. */
async function merge(one: readonly Keyed[], other: readonly Keyed[], pause: () => Promise<void>): Promise<Keyed[]> {
  const result: Keyed[] = [];
  let [left, right] = [0, 0];
  for (;;) {
    const [first, second] = [one[left], other[right]];
    if (!first && !second) return result;
    if (first && (!second || byKey(first, second) <= 0)) {
      result.push(first);
      left += 1;
    } else if (second) {
      result.push(second);
      right += 1;
    }
    if (result.length % RUN === 0) await pause();
  }
}

function approximateBytes(value: Value): number {
  if (typeof value === 'string') return 8 + value.length;
  if (isDocument(value)) {
    let sum = 16;
    for (const [name, inner] of value) sum += name.length + approximateBytes(inner);
    return sum;
  }
  return Array.isArray(value) ? value.reduce<number>((sum, inner) => sum + approximateBytes(inner), 16) : 16;
}
