/** What a language model that sees is shown. */
export interface ImageContent {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** Of one image: what providers take. */
export const MAX_IMAGE_BYTES = 5 * 1024 * 1024;

/** Of all images of one answer, which stay in memory until it is written. */
export const MAX_IMAGES_BYTES = 10 * 1024 * 1024;
export const MAX_IMAGES = 10;

/** About as many as a large image has with those who tell it; what the server says takes their place. */
export const TOKENS_OF_IMAGE = 1_000;

export const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

const startsWith = (bytes: Uint8Array, start: readonly number[], from = 0): boolean =>
  start.every((byte, at) => bytes[from + at] === byte);

/** What image the bytes are, whatever was claimed; undefined: none that providers take. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return 'image/png';
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return 'image/jpeg';
  if (startsWith(bytes, [0x47, 0x49, 0x46, 0x38])) return 'image/gif';
  const isRiff = startsWith(bytes, [0x52, 0x49, 0x46, 0x46]);
  return isRiff && startsWith(bytes, [0x57, 0x45, 0x42, 0x50], 8) ? 'image/webp' : undefined;
}
