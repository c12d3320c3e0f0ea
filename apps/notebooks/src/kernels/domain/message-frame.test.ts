import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { KernelMessage } from './kernel-provider.ts';
import { decodeFrame, encodeFrame, FrameError, MAX_BUFFERS } from './message-frame.ts';

const bytes = fc.uint8Array({ maxLength: 40 });
const messages: fc.Arbitrary<KernelMessage> = fc.record({
  channel: fc.constantFrom('shell', 'control', 'iopub', 'stdin'),
  header: bytes,
  parentHeader: bytes,
  metadata: bytes,
  content: bytes,
  buffers: fc.array(bytes, { maxLength: MAX_BUFFERS }),
});

/** The same bytes, of whatever class they are. */
const plain = ({ channel, buffers, header, parentHeader, metadata, content }: KernelMessage): unknown => ({
  channel,
  parts: [header, parentHeader, metadata, content, ...buffers].map((part) => [...part]),
});

/** Whether it is a message. Anything but that error fails the test. */
function isRead(frame: Uint8Array): boolean {
  try {
    decodeFrame(frame);
    return true;
  } catch (error) {
    if (error instanceof FrameError) return false;
    throw error;
  }
}

describe('the binary frame of a message', () => {
  it('gives every message back as it was', () => {
    fc.assert(
      fc.property(messages, (message) => expect(plain(decodeFrame(encodeFrame(message)))).toEqual(plain(message))),
    );
  });

  it('is read wherever in a memory it lies', () => {
    fc.assert(
      fc.property(messages, bytes, (message, before) => {
        const frame = Buffer.concat([before, encodeFrame(message)]).subarray(before.length);
        expect(plain(decodeFrame(frame))).toEqual(plain(message));
      }),
    );
  });

  it('is refused wherever it is cut off', () => {
    fc.assert(
      fc.property(messages, fc.nat(), (message, at) => {
        const frame = encodeFrame(message);
        expect(isRead(frame.subarray(0, at % frame.length))).toBe(false);
      }),
    );
  });

  it('is a message or refused, whichever of its bytes are changed', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(messages, changes, (message, changed) => {
        const frame = encodeFrame(message);
        for (const [at, byte] of changed) frame[at % frame.length] = byte;
        isRead(frame);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is a message or refused, whatever its numbers say', () => {
    const numbers = fc.array(fc.oneof(fc.bigInt({ min: 0n, max: 100n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), {
      maxLength: 80,
    });
    fc.assert(
      fc.property(fc.nat({ max: 80 }), numbers, bytes, (count, offsets, rest) => {
        isRead(Buffer.concat([Buffer.from(BigUint64Array.of(BigInt(count), ...offsets).buffer), rest]));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is a message or refused, whatever it is', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 1_000 }), (frame) => void isRead(frame)));
  });

  it('has as many buffers as a message may, and not one more', () => {
    const part = Buffer.from('{}');
    const parts = { header: part, parentHeader: part, metadata: part, content: part };
    const withBuffers = (count: number) =>
      encodeFrame({ channel: 'shell', ...parts, buffers: Array<Buffer>(count).fill(part) });
    expect(isRead(withBuffers(MAX_BUFFERS))).toBe(true);
    expect(isRead(withBuffers(MAX_BUFFERS + 1))).toBe(false);
  });
});
