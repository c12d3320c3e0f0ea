import { createHmac, timingSafeEqual } from 'node:crypto';

/** Makes page positions opaque to clients, and proves that a cursor is one of ours. */
export interface CursorSeal {
  /** A cursor for this position; it opens for the same operation only. */
  readonly seal: (operationId: string, position: string) => string;
  /** The position in a cursor; undefined for one that was altered, cut or made for another operation. */
  readonly unseal: (operationId: string, cursor: string) => string | undefined;
}

const tagBytes = 16;
/** Longer texts are refused before any work is done on them. */
const maxCursorLength = 2048;

/** The first one seals; what any of them has sealed is opened, so that a key can be replaced while replicas with either are there. */
export type SealKeys = readonly [string | Buffer, ...(string | Buffer)[]];

/**
 * Cursors are `base64url(tag, position)`, the tag being the first 128 bits of an HMAC-SHA-256 over
 * operation and position. Every gateway replica needs the same keys.
 */
export function cursorSeal(keys: SealKeys): CursorSeal {
  if (keys.some((key) => key.length === 0)) throw new Error('the cursor key must not be empty');
  const [sealing] = keys;
  const tagOf = (key: string | Buffer, operationId: string, position: Buffer): Buffer =>
    createHmac('sha256', key).update(operationId).update('\0').update(position).digest().subarray(0, tagBytes);
  return {
    seal: (operationId, position) => {
      const bytes = Buffer.from(position, 'utf8');
      return Buffer.concat([tagOf(sealing, operationId, bytes), bytes]).toString('base64url');
    },
    unseal: (operationId, cursor) => {
      if (cursor.length > maxCursorLength || !/^[\w-]+$/.test(cursor)) return undefined;
      const sealed = Buffer.from(cursor, 'base64url');
      // One text per cursor: base64url would also decode with stray bits in the last character.
      if (sealed.length <= tagBytes || sealed.toString('base64url') !== cursor) return undefined;
      const position = sealed.subarray(tagBytes);
      const tag = sealed.subarray(0, tagBytes);
      const isOurs = keys.some((key) => timingSafeEqual(tag, tagOf(key, operationId, position)));
      return isOurs ? position.toString('utf8') : undefined;
    },
  };
}
