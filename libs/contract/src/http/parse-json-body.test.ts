import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { JsonError, scanJson } from '../validation/json-scanner.ts';
import { parseJsonBody, unreadable } from './parse-json-body.ts';

function read(bytes: Buffer | string): unknown {
  const body = parseJsonBody(Buffer.from(bytes as string));
  return body === unreadable ? unreadable : body.exact();
}

function utf32(text: string): Buffer {
  return Buffer.concat(
    Array.from(text, (character) => {
      const unit = Buffer.alloc(4);
      unit.writeUInt32LE(character.codePointAt(0) ?? 0);
      return unit;
    }),
  );
}

describe('bodies of JSON', () => {
  it('are recognised in UTF-8, UTF-16 and UTF-32, with and without a byte order mark', () => {
    const text = '{"a":"😀é"}';
    const utf16 = Buffer.from(text, 'utf16le');
    const forms = [
      Buffer.from(text),
      Buffer.from(`\ufeff${text}`),
      utf16,
      Buffer.from(utf16).swap16(),
      Buffer.from(`\ufeff${text}`, 'utf16le'),
      Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      utf32(text),
      utf32(`\ufeff${text}`),
      Buffer.from(utf32(text)).swap32(),
      Buffer.from(utf32(`\ufeff${text}`)).swap32(),
    ];
    for (const form of forms) expect(read(form)).toEqual({ a: '😀é' });
  });

  it('are unreadable when they are not text', () => {
    for (const bytes of [
      [0xff],
      [0x22, 0xc3, 0x22],
      [0x22, 0xf8, 0x88, 0x80, 0x80, 0x22],
      [0xff, 0xfe, 0x22],
      [0x22, 0, 0x22, 0, 0x22],
    ]) {
      expect(read(Buffer.from(bytes))).toBe(unreadable);
    }
  });

  it('are no JSON when a half of a surrogate pair is encoded', () => {
    expect(read(Buffer.from([0x22, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0x22]))).toBeInstanceOf(JsonError);
  });

  it('give each encoded half of a pair its place, whatever stands beside it', () => {
    const half = Buffer.from([0xed, 0xbf, 0xbf]);
    for (const before of ['', 'a', 'é', '€', '퟿', '\ue000', '😀']) {
      const bytes = Buffer.concat([Buffer.from(`[1,"${before}`), half, half, Buffer.from(`${before}"x`)]);
      // Other errors of the text are told first, at their place in code points.
      expect(read(bytes)).toMatchObject({ message: "Expecting ',' delimiter", at: 7 + 2 * Array.from(before).length });
    }
    expect(read(Buffer.from([0x22, 0xed, 0xa0, 0x22]))).toBe(unreadable);
    expect(read(Buffer.concat([Buffer.from('"'), half, Buffer.from([0xff, 0x22])]))).toBe(unreadable);
  });

  it('are the same read quickly and exactly where no number has a fraction or an exponent', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = JSON.stringify(value);
        const body = parseJsonBody(Buffer.from(text));
        if (body === unreadable) throw new Error('unreadable');
        if (!/\d[.eE]/.test(text) && body.quick !== undefined) expect(scanJson(text)).toEqual(body.quick);
        expect(body.exact()).toEqual(scanJson(text));
      }),
    );
  });

  it('are read quickly only where that loses nothing', () => {
    const quick = (text: string): unknown => {
      const body = parseJsonBody(Buffer.from(text));
      return body === unreadable ? unreadable : body.quick;
    };
    expect(quick('{"a":[1,2.5,"x"]}')).toEqual({ a: [1, 2.5, 'x'] });
    for (const text of ['9007199254740993', '1e999', '"\\ud83d\\ude00"', '{', '['.repeat(65) + ']'.repeat(65)])
      expect(quick(text)).toBeUndefined();
    expect(quick(JSON.stringify(Array(100).fill({ text: '[{[{' })))).toHaveLength(100);
  });
});
