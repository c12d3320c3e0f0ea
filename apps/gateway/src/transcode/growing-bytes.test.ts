import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GrowingBytes } from './growing-bytes.ts';

describe('bytes that grow', () => {
  it('are the pieces one after another, in memory that was announced', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (arrays) => {
        const pieces = arrays.map((array) => Buffer.from(array));
        const whole = Buffer.concat(pieces);
        const growing = new GrowingBytes(whole.length);
        let memory = 0;
        for (const piece of pieces) {
          memory += growing.growthFor(piece.length);
          growing.append(piece);
        }
        expect(growing.bytes.equals(whole)).toBe(true);
        expect(memory).toBe(whole.length);
      }),
    );
  });

  it('take memory in proportion to their number, in however small pieces they come', () => {
    const growing = new GrowingBytes(Infinity);
    let memory = 0;
    let times = 0;
    for (let at = 0; at < 100_000; at++) {
      const growth = growing.growthFor(1);
      memory += growth;
      if (growth > 0) times++;
      growing.append(Buffer.of(at & 0xff));
    }
    expect(memory).toBeLessThan(2 * growing.length);
    expect(times).toBeLessThan(20);
  });

  it('are not copied when they come in one piece', () => {
    const piece = Buffer.from('whole');
    const growing = new GrowingBytes(5);
    growing.append(piece);
    expect(growing.bytes.buffer).toBe(piece.buffer);
  });
});
