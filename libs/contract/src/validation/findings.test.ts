import { describe, expect, it } from '@jest/globals';
import { costRatio } from '@platform-backend/testing/cost-ratio';
import fc from 'fast-check';
import { Findings } from './findings.ts';
import { FloatNumber, isInputObject, rawJson } from './input-value.ts';
import { missing } from './problem.ts';
import type { Secrets } from './shown-input.ts';

const shown = (input: unknown, secrets?: Secrets): unknown => {
  const findings = new Findings();
  findings.add(missing, ['body'], input, secrets);
  return findings.items[0]?.input;
};

/** What is to be shown, said in the plainest way: the whole text is written, then cut at 1 KiB. */
function plainly(input: unknown, secrets: Secrets): unknown {
  const open = exact(withoutSecrets(input, secrets));
  if (typeof open !== 'string' && (typeof open !== 'object' || open === null)) return open;
  const text = typeof open === 'string' ? open : JSON.stringify(open);
  if (Buffer.byteLength(text) <= 1024) return open;
  const bytes = Buffer.from(text.slice(0, 1024)).subarray(0, 1024);
  return `${bytes.toString().replace(/\ufffd+$/, '')}…`;
}

function withoutSecrets(input: unknown, secrets: Secrets): unknown {
  if (secrets !== 'everything' && secrets.size === 0) return input;
  if (secrets === 'everything' || !isInputObject(input)) return '[redacted]';
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, secrets.has(key) ? '[redacted]' : value]),
  );
}

function exact(input: unknown): unknown {
  if (typeof input === 'bigint') return rawJson(String(input));
  if (input instanceof FloatNumber) return input.toJSON();
  if (Array.isArray(input)) return input.map(exact);
  if (!isInputObject(input)) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, exact(value)]));
}

describe('what was sent, in an error', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary', maxLength: 600 }),
    fc.nat(1_100).map((length) => 'x'.repeat(length)),
    fc.nat(600).map((length) => `${'é😀'.repeat(length / 2)}"`),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(null, true, false, 0, -1, 1.5, 12345678901234567890n, new FloatNumber(5), new FloatNumber(1e300)),
      text,
      fc.array(tie('value'), { maxLength: 30 }),
      fc.dictionary(fc.oneof(fc.constantFrom('secret', '__proto__', '1'), text), tie('value'), { maxKeys: 30 }),
    ),
  }));
  const secrets = fc.constantFrom<Secrets>(new Set(), new Set(['secret']), 'everything');

  it('is all of it, or the first KiB of its text', () => {
    fc.assert(
      fc.property(value, secrets, (input, hidden) => {
        expect(JSON.stringify(shown(input, hidden))).toBe(JSON.stringify(plainly(input, hidden)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('is cut at the same byte however its text got there', () => {
    for (let length = 1_000; length < 1_040; length++) {
      for (const unit of ['x', '"', '\n', 'é', '€', '😀', '\ud83d']) {
        const long = unit.repeat(length);
        for (const input of [long, [long], { [long]: 1 }, Array(length).fill(unit), ['x'.repeat(length - 10), unit]]) {
          expect(JSON.stringify(shown(input))).toBe(JSON.stringify(plainly(input, new Set())));
        }
      }
    }
  });

  it('costs as much for a large object that lacks many fields as for one that lacks one', () => {
    const large = Object.fromEntries(Array.from({ length: 75_000 }, (_, at) => [`unknown ${at}`, at]));
    const secrets: Secrets = new Set(['unknown 3']);
    const lacking = (fields: number) => (): void => {
      const findings = new Findings();
      for (let at = 0; at < fields; at++) findings.add(missing, ['body', at], large, secrets);
    };
    expect(costRatio(lacking(100), lacking(1))).toBeLessThan(20);
  });
});
