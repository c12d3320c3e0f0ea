import { describe, expect, it } from '@jest/globals';
import { lineOf, messageLines } from './message-lines.ts';

const messages = [{ log: 'ä line\nand another' }, 'ready', { rows: [[1, null, '€']] }];
const bytes = Buffer.from(messages.map(lineOf).join(''));

/** What is heard of bytes that come in pieces of this size. */
function heardOf(all: Buffer, size: number, maxBytes = 1000): unknown[] {
  const heard: unknown[] = [];
  const read = messageLines(maxBytes, (message) => heard.push(message));
  for (let from = 0; from < all.length; from += size) read(all.subarray(from, from + size));
  return heard;
}

describe('messages as lines', () => {
  it.each([1, 2, 7, 64, 1000])('are what was said, in pieces of %d bytes', (size) => {
    expect(heardOf(bytes, size)).toEqual(messages);
  });

  it('are not heard before their end', () => {
    expect(heardOf(bytes.subarray(0, -1), 1000)).toEqual(messages.slice(0, 2));
  });

  it('may be as long as is allowed, and not longer, in one piece or many', () => {
    const line = Buffer.from(lineOf('x'.repeat(98)));
    expect(heardOf(line, 1000, 100)).toHaveLength(1);
    for (const size of [1, 1000]) expect(() => heardOf(line, size, 99)).toThrow('longer than 99 bytes');
  });

  it('have their own length each', () => {
    expect(heardOf(Buffer.from(lineOf('x'.repeat(50)).repeat(10)), 7, 60)).toHaveLength(10);
  });
});
