import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csv } from './csv.ts';
import { jsonLines } from './json-lines.ts';

const columns = { id: 'text', micros: 'integer', at: 'time', lines: 'list' } as const;
const at = new Date('2026-11-25T23:00:00.001Z');
const anyText = fc.string({ unit: 'grapheme', maxLength: 20 });
const trickyText = fc.oneof(
  anyText,
  fc.constantFrom(
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\nx',
    '＝1',
    'a,b',
    'a"b',
    '"',
    ' a ',
    '\r\n',
    "'",
    '',
  ),
);

const fileOf = (texts: readonly string[]) =>
  csv.head(columns) + texts.map((id) => csv.line(columns, { id, micros: '-5', at, lines: [] })).join('');

describe('CSV', () => {
  it('has names, one record to a line, and nothing of what is no value of a table', () => {
    expect(fileOf(['one'])).toBe('id,micros,at\r\none,-5,2026-11-25T23:00:00.001Z\r\n');
    expect(csv.line(columns, { id: null, micros: null, at: null })).toBe(',,\r\n');
  });

  it('is read back as it was written, whatever texts are in it, but for the guard of a formula', () => {
    fc.assert(
      fc.property(fc.array(trickyText, { maxLength: 5 }), (texts) => {
        const records = parse<Record<string, string>>(fileOf(texts), { columns: true, relax_quotes: false });
        expect(records.map(({ id }) => id?.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''))).toEqual(texts);
        expect(records.every(({ micros }) => micros === '-5')).toBe(true);
      }),
    );
  });

  it('has no text that a spreadsheet would take for a formula', () => {
    fc.assert(
      fc.property(fc.array(trickyText, { minLength: 1, maxLength: 5 }), (texts) => {
        const records = parse<Record<string, string>>(fileOf(texts), { columns: true });
        expect(records.filter(({ id }) => /^[=+\-@\t\r\n＝＋－＠]/.test(id ?? ''))).toEqual([]);
      }),
    );
  });
});

describe('JSON lines', () => {
  it('have every digit, every text and every list as it is', () => {
    const line = jsonLines.line(columns, { id: '=1\n', micros: '9007199254740993', at, lines: [{ amount_minor: 1 }] });
    expect(line).toBe(
      '{"id":"=1\\n","micros":9007199254740993,"at":"2026-11-25T23:00:00.001Z","lines":[{"amount_minor":1}]}\n',
    );
    expect(jsonLines.line(columns, { id: null, micros: null, at: null, lines: null })).toBe(
      '{"id":null,"micros":null,"at":null,"lines":null}\n',
    );
  });
});
