import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { writeListValue } from './wire.ts';

const bytesOf = (items: readonly unknown[]): number => {
  const writer = protobuf.Writer.create();
  writeListValue(writer, items);
  return writer.len;
};

describe('free JSON in a message', () => {
  it('grows less than six times on its way into a message, which the limits of the gateway count on', () => {
    expect(bytesOf(Array<number>(100_000).fill(0)) / '0,'.repeat(100_000).length).toBeCloseTo(5.5, 1);
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (items) => {
        expect(bytesOf(items)).toBeLessThan(6 * Buffer.byteLength(JSON.stringify(items)));
      }),
    );
  });
});
