import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import protobuf from 'protobufjs';
import { parseJsonBody, unreadable } from '../http/parse-json-body.ts';
import { fromValueMessage, toValueMessage, type ValueMessage } from '../json-values.ts';
import { loadProtos, protosDirectory } from '../load.ts';
import { isInputObject } from '../validation/input-value.ts';
import { scanJson } from '../validation/json-scanner.ts';
import { writeListValue, writeValue } from './wire.ts';

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

describe('exact numbers in free JSON', () => {
  const root = loadProtos(protosDirectory, ['platform/notebooks/v1/notebooks.proto']);
  const valueType = root.lookupType('google.protobuf.Value');
  const decoded = (bytes: Uint8Array) => fromValueMessage(valueType.decode(bytes) as ValueMessage);

  /** From a client to a service, and from there to another one. */
  function passed(text: string, isExact: boolean): string {
    const body = parseJsonBody(Buffer.from(text), { exactNumbers: isExact });
    if (body === unreadable) throw new Error('it is no JSON');
    const writer = protobuf.Writer.create();
    writeValue(writer, body.quick ?? body.exact(), isExact);
    const atService = decoded(writer.finish());
    return JSON.stringify(decoded(valueType.encode(toValueMessage(atService)).finish()));
  }

  it('come through as they were written, where the rule says so', () => {
    const text = '[1152921504606846977,-123456789012345678901234567890,-0.0,1.0,1e+300,0.1,7]';
    expect(passed(text, true)).toBe(text);
    expect(passed(text, false)).toBe('[1152921504606847000,-1.2345678901234568e+29,0,1,1e+300,0.1,7]');
  });

  it('are never other numbers, and never integers where they were none', () => {
    const digits = (maxLength: number) =>
      fc.string({ unit: fc.constantFrom('0', '1', '5', '9'), minLength: 1, maxLength });
    const integer = fc
      .tuple(fc.constantFrom('', '-'), fc.bigInt({ min: 0n, max: 10n ** 40n }))
      .map((parts) => parts.join(''));
    const float = fc
      .tuple(integer, digits(25), fc.constantFrom('', 'e5', 'E-7', 'e+20'))
      .map(([whole, fraction, exponent]) => `${whole}.${fraction}${exponent}`);
    const { json } = fc.letrec<{ json: string }>((tie) => ({
      json: fc.oneof(
        { maxDepth: 3 },
        fc.oneof(
          integer,
          float,
          fc.constantFrom('0', '-0', '-0.0', 'true', 'null'),
          fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text.replaceAll('\0', ''))),
        ),
        fc.array(tie('json'), { maxLength: 4 }).map((items) => `[${items.join(' ,')}]`),
        fc.dictionary(fc.string({ unit: 'grapheme-ascii', maxLength: 3 }), tie('json'), { maxKeys: 3 }).map(
          (members) =>
            `{${Object.entries(members)
              .map(([key, value]) => `${JSON.stringify(key)}: ${value}`)
              .join(',')}}`,
        ),
      ),
    }));
    fc.assert(
      fc.property(json, (text) => {
        expect(keysSorted(scanJson(passed(text, true)))).toEqual(keysSorted(scanJson(text)));
      }),
    );
  });

  const keysSorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(keysSorted);
    if (!isInputObject(value)) return value;
    return Object.entries(value)
      .map(([key, item]) => [key, keysSorted(item)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  };
});
