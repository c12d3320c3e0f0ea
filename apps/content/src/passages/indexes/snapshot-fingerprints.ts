import { crc32 } from 'node:zlib';
import { numbersIn } from './snapshot-file.ts';
import { withoutVectors } from './source-version.ts';

/** Whole numbers of a source and of what an index has of it, but for whether that has vectors. */
export const fingerprintOf = (key: string, version: string): [key: number, version: number] => [
  crc32(key) | 0,
  crc32(withoutVectors(version)) | 0,
];

/** Whether a snapshot with these fingerprints has something of one of these sources that is so no more; no version: it is gone. */
export function hasOutdated(
  fingerprints: Uint8Array<ArrayBuffer>,
  sources: Iterable<readonly [key: string, version: string | undefined]>,
): boolean {
  const present = new Map<number, Set<number>>();
  for (const [source, version] of sources) {
    const [key, own] = fingerprintOf(source, version ?? '');
    const versions = present.get(key) ?? new Set();
    present.set(key, version === undefined ? versions : versions.add(own));
  }
  const numbers = numbersIn(fingerprints);
  for (let at = 0; at < numbers.length; at += 2) {
    const versions = present.get(numbers[at] ?? 0);
    if (versions && !versions.has(numbers[at + 1] ?? 0)) return true;
  }
  return false;
}
