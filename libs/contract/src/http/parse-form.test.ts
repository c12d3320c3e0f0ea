import { describe, expect, it } from '@jest/globals';
import { costRatio } from '@platform-backend/testing/cost-ratio';
import { parseForm } from './parse-form.ts';

const boundary = 'multipart/form-data; boundary=XyZ';

function form(body: string | Buffer, contentType: string | undefined = boundary): unknown {
  const names = new Set(['a', 'b', 'c', 'f']);
  return Object.fromEntries(parseForm(Buffer.from(body as string, 'latin1'), contentType, names));
}

const urlEncoded = 'application/x-www-form-urlencoded';

function part(disposition: string, content: string, headers = ''): string {
  return `--XyZ\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n${content}\r\n`;
}

describe('multipart forms', () => {
  it('give text and files by name, the last of each', () => {
    const body =
      part('name="a"', '1') +
      part('name="a"', '2') +
      part('name=f; filename="x.bin"', '\x00\r\n--Xy', 'Content-Type: a/b\r\n') +
      '--XyZ--\r\njunk';
    expect(form(body)).toEqual({
      a: '2',
      f: { filename: 'x.bin', contentType: 'a/b', content: Buffer.from('\x00\r\n--Xy', 'latin1') },
    });
  });

  it('read text in its charset, else as Latin-1', () => {
    expect(form(`${part('name=a', '\xc3\xa9')}--XyZ--`)).toEqual({ a: 'é' });
    expect(form(`${part('name=a', '\xe9')}--XyZ--`)).toEqual({ a: 'é' });
  });

  it('do not count a part that is cut off', () => {
    for (const end of ['', '--XyZ', '--XyZ-', '--XyZ\r']) expect(form(part('name=a', '1') + end)).toEqual({});
    for (const body of ['', '\r\n', '--XyZ', '--XyZ--', '--XyZ\r\n', '--XyZ\r\nContent-'])
      expect(form(body)).toEqual({});
  });

  it.each([
    ['x', boundary, 'Invalid multipart data.'],
    ['--XyZ\n', boundary, 'Invalid multipart data.'],
    ['--XyZ\r\nBad Header: x\r\n\r\n', boundary, 'Invalid multipart data.'],
    ['--XyZ\r\n: x\r\n\r\n', boundary, 'Invalid multipart data.'],
    [`--XyZ\r\n${'A: b\r\n'.repeat(9)}\r\n`, boundary, 'Invalid multipart data.'],
    [`--XyZ\r\nA: ${'b'.repeat(5000)}\r\n\r\n`, boundary, 'Invalid multipart data.'],
    [
      '--XyZ\r\nContent-Type: a/b\r\n\r\nx\r\n--XyZ--',
      boundary,
      'The Content-Disposition header field "name" must be provided.',
    ],
    [
      `${part('name=a', 'x'.repeat(1024 * 1024 + 1)).replace('XyZ', 'XyZXyZ')}--XyZXyZ--`,
      `${boundary}XyZ`,
      'Part exceeded maximum size of 1024KB.',
    ],
    [`${part('name=a', '').repeat(1001)}--XyZ--`, boundary, 'Too many fields. Maximum number of fields is 1000.'],
    [
      `${part('name=x; filename=x', '').repeat(1001)}--XyZ--`,
      boundary,
      'Too many files. Maximum number of files is 1000.',
    ],
    [part(`name=a; x="${'y'.repeat(4_000)}"`, '').repeat(140), boundary, 'Invalid multipart data.'],
    [`${part('name=a; filename=f', 'x'.repeat(1024 * 1024))}--XyZ--`, boundary, 'Invalid multipart data.'],
    [`${part(`name=a${';'.repeat(64)}`, '1')}--XyZ--`, boundary, 'Invalid multipart data.'],
    [`${part('name=f; filename=f', '\r\n--XyZ?'.repeat(1001))}--XyZ--`, boundary, 'Invalid multipart data.'],
    ['--XyZ--', 'multipart/form-data; charset=utf-8', 'Missing boundary in multipart.'],
    ['--XyZ--', `multipart/form-data; boundary=${'x'.repeat(257)}`, 'Invalid multipart data.'],
  ])('%.30p with %.40s: %s', (body, contentType, message) => {
    expect(() => form(body, contentType)).toThrow(message);
  });
});

describe('URL-encoded forms', () => {
  it('are decoded like query strings', () => {
    expect(form('a=1&&b=%C3%A9+x&c&a=2', urlEncoded)).toEqual({ a: '2', b: 'é x', c: '' });
  });

  it('give nothing that was not asked for', () => {
    expect(form('a=1&x=2&%61=3', urlEncoded)).toEqual({ a: '3' });
  });

  it('have at most 1000 fields of at most 1 MiB', () => {
    expect(form(`${'a=1&&'.repeat(999)}a=2`, urlEncoded)).toEqual({ a: '2' });
    expect(() => form('a&'.repeat(1001), urlEncoded)).toThrow('Too many fields. Maximum number of fields is 1000.');
    expect(() => form(`a=${'x'.repeat(1024 * 1024)}`, urlEncoded)).toThrow('Field exceeded maximum size of 1024KB.');
  });
});

describe('a form that breaks a limit', () => {
  const MIB = 1024 * 1024;
  const longBoundary = 'multipart/form-data; boundary=XyZXyZ';
  const attempt = (body: string, type: string): (() => unknown) => {
    const bytes = Buffer.from(body);
    return () => {
      try {
        parseForm(bytes, type, new Set(['a']));
      } catch {
        // What it says is tested above; here it is about what it costs.
      }
    };
  };
  const longPart = (disposition: string, content: string): string =>
    part(disposition, content).replace('XyZ', 'XyZXyZ');

  it.each([
    ['fields', urlEncoded, '', 'a&'],
    ['parts', longBoundary, '', longPart('name=a', '')],
    ['headers', longBoundary, '', longPart(`name=a; x="${'y'.repeat(4_000)}"`, '')],
    ['lines like a boundary', longBoundary, longPart('name=a; filename=f', '').slice(0, -2), '\r\n--XyZXyZ?'],
  ])('costs no more with thousands of times as many %s', (_what, type, start, one) => {
    const large = attempt(start + one.repeat((25 * MIB) / one.length), type);
    const small = attempt(start + one.repeat(1_100), type);
    expect(costRatio(large, small)).toBeLessThan(20);
  });
});

describe('bodies that are no form', () => {
  it('are empty forms', () => {
    for (const type of [
      undefined,
      'application/json',
      'multipart/mixed; boundary=XyZ',
      'Multipart/Form-Data; boundary=XyZ',
    ]) {
      expect(form(part('name=a', '1') + '--XyZ--', type ?? '')).toEqual({});
    }
  });
});
