import { inflateSync } from 'node:zlib';

export interface Picture {
  readonly bytes: Buffer;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** Pixels of a picture that is shown; to decode a larger one takes too much memory. */
const maxPixels = 16_000_000;

/** The picture of a `data:` URL, where PDFs can show its kind. */
export function pictureOf(url: string): Picture | undefined {
  const bytes = Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
  const size = bytes.subarray(0, 8).equals(png) ? pngSize(bytes) : jpegSize(bytes);
  if (!size || size.width === 0 || size.height === 0 || size.width * size.height > maxPixels) return undefined;
  return { bytes, ...size };
}

type Size = Omit<Picture, 'bytes'>;

const png = Buffer.from('89504e470d0a1a0a', 'hex');

/** Undefined also where its pixels cannot be unpacked, or are more than it says. */
function pngSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined;
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width * height > maxPixels) return undefined;
  const pixels: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at)) {
    if (bytes.toString('latin1', at + 4, at + 8) !== 'IDAT') continue;
    pixels.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  }
  try {
    // Eight bytes a pixel at most, and one more for each line.
    const unpacked = inflateSync(Buffer.concat(pixels), { maxOutputLength: (width * 8 + 1) * height + 64 });
    return unpacked.length >= height ? { width, height } : undefined;
  } catch {
    return undefined;
  }
}

/** From the segment that begins the frame; undefined where there is none. */
function jpegSize(bytes: Buffer): Size | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  for (let at = 2; at + 9 < bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
  }
  return undefined;
}
