import { tooLarge } from '@platform-backend/core';
import { createHash } from 'node:crypto';

/** Counts and hashes bytes on their way. */
export function counted(maxBytes: number) {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    /** @throws `too_large` before it hands on a byte too many. */
    async *pass(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of body) {
        bytes += piece.length;
        if (bytes > maxBytes) throw tooLarge(moreThan(maxBytes));
        hash.update(piece);
        yield piece;
      }
    },
    /** Of all that has passed; once. */
    facts: () => ({ bytes, checksum: hash.digest('hex') }),
  };
}

/** Whoever has made the URL has said how many: those that were announced, or as many as there is room for. */
export const moreThan = (maxBytes: number): string => `This URL takes up to ${maxBytes} bytes, and these are more`;
