import { createHash } from 'node:crypto';

/** SHA-256, hexadecimal, over the hash of the entry before (hexadecimal, empty before the first one) and the text of this one. */
export const chainHash = (previous: string, text: string): string =>
  createHash('sha256').update(Buffer.from(previous, 'hex')).update(text).digest('hex');
