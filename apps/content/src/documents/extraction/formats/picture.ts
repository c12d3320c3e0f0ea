import type { DocumentText } from '../document-text.ts';
import { extractionFailures } from '../extraction-failures.ts';
import { limits } from '../limits.ts';
import type { ReadPictures } from '../pictures.ts';

/** A picture, or those of a TIFF, which may have many as fax machines and scanners write them. */
export async function readPicture(bytes: Buffer, readPictures: ReadPictures): Promise<DocumentText> {
  const count = picturesIn(bytes);
  if (count > limits.pages) throw extractionFailures.tooMuch(`${limits.pages} pages`);
  const pictures = Array.from({ length: count }, (_, index) => ({ page: index + 1, width: 0, height: 0 }));
  return { pages: await readPictures(pictures), hasPages: true };
}

/** A TIFF is a list of directories: each has a count of entries of 12 bytes, and behind them where the next one is. */
function picturesIn(bytes: Buffer): number {
  const order = bytes.toString('latin1', 0, 2);
  if (order !== 'II' && order !== 'MM') return 1;
  const isLittle = order === 'II';
  const short = (at: number): number => (isLittle ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at));
  const long = (at: number): number => (isLittle ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at));
  // 43 is BigTIFF, for files of more than 4 GiB: its first picture is read.
  if (short(2) !== 42) return 1;
  const seen = new Set<number>();
  for (let at = long(4); at !== 0 && at + 2 <= bytes.length && !seen.has(at) && seen.size <= limits.pages;) {
    seen.add(at);
    const next = at + 2 + 12 * short(at);
    at = next + 4 <= bytes.length ? long(next) : 0;
  }
  return Math.max(1, seen.size);
}
