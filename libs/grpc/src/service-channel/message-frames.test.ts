import { describe, expect, it } from '@jest/globals';
import { framed, MessageReader, UnreadableFrame } from './message-frames.ts';

const readAll = (chunks: readonly Buffer[], maxBytes = 1_000) => {
  const reader = new MessageReader(maxBytes);
  const messages: Buffer[] = [];
  for (const chunk of chunks) reader.read(chunk, (message) => messages.push(message));
  return { messages, isBetweenMessages: reader.isBetweenMessages };
};

describe('messages in a stream of bytes', () => {
  it('are read as they were written, however the bytes are cut', () => {
    const messages = ['', 'a', '', 'bcdefgh', 'x'.repeat(300), ''].map((text) => Buffer.from(text));
    const bytes = Buffer.concat(messages.map((message) => framed(message)));
    for (let length = 1; length <= bytes.length; length += 1) {
      const chunks: Buffer[] = [];
      for (let at = 0; at < bytes.length; at += length) chunks.push(bytes.subarray(at, at + length));
      expect(readAll(chunks)).toEqual({ messages, isBetweenMessages: true });
    }
  });

  it('may be sent in two parts', () => {
    const behind = Buffer.from('their end');
    expect(Buffer.concat([framed(Buffer.from('with '), behind.length), behind])).toEqual(
      framed(Buffer.from('with their end')),
    );
  });

  it('are not whole before their last byte', () => {
    const bytes = framed(Buffer.from('whole'));
    for (let length = 1; length < bytes.length; length += 1) {
      expect(readAll([bytes.subarray(0, length)])).toEqual({ messages: [], isBetweenMessages: false });
    }
  });

  it('are refused by what they announce, before they are there', () => {
    const announced = framed(Buffer.alloc(11)).subarray(0, 5);
    expect(() => readAll([announced], 10)).toThrow(UnreadableFrame);
    expect(() => readAll([announced.subarray(0, 2), announced.subarray(2)], 10)).toThrow('larger than max (11 vs 10)');
    expect(readAll([announced], 11).messages).toEqual([]);
    const compressed = framed(Buffer.from('z'));
    compressed[0] = 1;
    expect(() => readAll([compressed])).toThrow('compressed');
  });
});
