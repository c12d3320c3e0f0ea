import { describe, expect, it } from '@jest/globals';
import { costRatio } from '@platform-backend/testing/cost-ratio';
import fc from 'fast-check';
import { percentDecoded } from './percent-decoding.ts';

/** What it means, one run of escapes after another. */
const byRuns = (text: string): string =>
  text.replace(/(?:%[\da-fA-F]{2})+/g, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'));

describe('percent-decoding', () => {
  it('leaves alone what is no escape, and never fails', () => {
    expect(percentDecoded('%C3%A9%zz%4%%41%')).toBe('é%zz%4%A%');
    expect(percentDecoded('%E2%82x%82')).toBe('\ufffdx\ufffd');
  });

  it('reads each run of escapes as UTF-8 of its own, whatever stands around it', () => {
    const piece = fc.oneof(
      fc.integer({ min: 0, max: 255 }).map((byte) => `%${byte.toString(16).padStart(2, '0')}`),
      fc.constantFrom('%', '%4', 'é', '\xe2', 'x', '€', '😀', '%F0%9F', '%98%80'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(percentDecoded(pieces.join(''))).toBe(byRuns(pieces.join('')));
      }),
    );
  });

  it('costs as much for many runs as for one', () => {
    const [many, one] = ['%41a'.repeat(250_000), '%41'.repeat(250_000) + 'a'.repeat(250_000)];
    expect(
      costRatio(
        () => percentDecoded(many),
        () => percentDecoded(one),
      ),
    ).toBeLessThan(3);
  });
});
