import { createHash } from 'node:crypto';

/** Of the bytes of a file: SHA-256, in hexadecimal. */
export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
