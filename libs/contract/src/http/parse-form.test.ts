import { describe, expect, it } from '@jest/globals';
import { parseForm } from './parse-form.ts';

const boundary = 'multipart/form-data; boundary=XyZ';

function form(body: string | Buffer, contentType: string | undefined = boundary): unknown {
  return Object.fromEntries(parseForm(Buffer.from(body as string, 'latin1'), contentType));
}

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
    [`${part('name=a', 'x'.repeat(1024 * 1024 + 1))}--XyZ--`, boundary, 'Part exceeded maximum size of 1024KB.'],
    [`${part('name=a', '').repeat(1001)}--XyZ--`, boundary, 'Too many fields. Maximum number of fields is 1000.'],
    ['--XyZ--', 'multipart/form-data; charset=utf-8', 'Missing boundary in multipart.'],
    ['--XyZ--', `multipart/form-data; boundary=${'x'.repeat(257)}`, 'Invalid multipart data.'],
  ])('%.30p with %.40s: %s', (body, contentType, message) => {
    expect(() => form(body, contentType)).toThrow(message);
  });
});

describe('URL-encoded forms', () => {
  it('are decoded like query strings', () => {
    expect(form('a=1&&b=%C3%A9+x&c&a=2', 'application/x-www-form-urlencoded')).toEqual({ a: '2', b: 'é x', c: '' });
  });
});

describe('other bodies', () => {
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
