import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultCsvOptions, type CsvOptions } from '../domain/csv.ts';
import { startSteps, type StepsUnderTest } from './steps-under-test.ts';

describe('a CSV that is read', () => {
  let steps: StepsUnderTest;
  beforeAll(async () => (steps = await startSteps()));
  afterAll(() => steps.stop());

  async function read(content: string | Uint8Array, csv: Partial<CsvOptions> = {}) {
    const file = await steps.file('read.csv', content);
    const { outcome, code, message, rejected, output } = await steps.run({
      kind: 'INGEST',
      inputs: [{ name: 'read', file, format: 'csv', csv: { ...defaultCsvOptions, ...csv } }],
      output: { name: 'read', file: steps.path('read.parquet') },
    });
    const rows =
      output && (await steps.run({ inputs: [steps.input('t', steps.path('read.parquet'))], query: 'FROM t' })).rows;
    const columns = output?.columns.map(({ name, type }) => `${name} ${type}`);
    return { outcome, code, message, columns, rows, rejected };
  }

  it('keeps numbers as they are written, whatever their length', async () => {
    const long = '123456789012345678901234567890';
    const { columns, rows } = await read(`a,b,c,d\n10.50,${long},1e5,-.25\n,2,2.5,3\n`);
    expect(columns).toEqual(['a DECIMAL(18,2)', 'b DECIMAL(38,0)', 'c DOUBLE', 'd DECIMAL(18,2)']);
    expect(rows).toEqual([
      ['10.50', long, 100_000, '-0.25'],
      [null, '2', 2.5, '3.00'],
    ]);
  });

  it('with a row that lacks a column fails and says which, and is no table of one column', async () => {
    const ragged = 'id,amount,d\n1,2.5,2026-01-01\n2,3.5\n3,4.5,2026-01-03,x\n4,"5.5\n';
    const refused = await read(ragged);
    expect(refused).toMatchObject({
      outcome: 'FAILED',
      code: 'rejected_rows',
      message: '3 rows could not be read; the first is line 3: Expected Number of Columns: 3 Found: 2',
      rejected: { count: 3 },
    });
    expect(refused.rejected?.rows).toMatchObject([
      { line: 3, reason: 'MISSING_COLUMNS', column: 'd', text: '2,3.5' },
      { line: 4, reason: 'TOO_MANY_COLUMNS', column: '', text: '3,4.5,2026-01-03,x' },
      { line: 5, reason: 'QUOTES', column: 'amount' },
    ]);
    const tolerated = await read(ragged, { maxRejectedRows: 3 });
    expect(tolerated).toMatchObject({
      outcome: 'SUCCEEDED',
      columns: ['id BIGINT', 'amount DECIMAL(18,1)', 'd DATE'],
      rows: [[1, '2.5', '2026-01-01']],
      rejected: { count: 3 },
    });
  });

  it.each(['', '\n\r\n  ', '\ufeff\n'])('is refused where it is empty', async (content) => {
    expect(await read(content)).toMatchObject({ outcome: 'FAILED', code: 'empty_file' });
  });

  it('is read with the delimiter, quotes and encoding that are named', async () => {
    const german = "id;preis;wer\n1;1,50;'a;b'\n2;-0,25;''\n";
    const { columns, rows } = await read(german, { delimiter: ';', quote: "'", decimalSeparator: ',' });
    expect([columns, rows]).toEqual([
      ['id BIGINT', 'preis DECIMAL(18,2)', 'wer VARCHAR'],
      [
        [1, '1.50', 'a;b'],
        [2, '-0.25', null],
      ],
    ]);
    const latin = Buffer.from('id,name\n1,M\u00fcller\n', 'latin1');
    expect(await read(latin)).toMatchObject({ code: 'rejected_rows', rejected: { rows: [{ reason: 'ENCODING' }] } });
    expect((await read(latin, { encoding: 'latin-1' })).rows).toEqual([[1, 'Müller']]);
    const wide = Buffer.from('\ufeffid,name\n1,Mü\n', 'utf16le');
    expect((await read(wide, { encoding: 'utf-16' })).rows).toEqual([[1, 'Mü']]);
    expect((await read('a,b\nc,d\n', { hasHeader: false })).rows).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('is held to the columns that are declared', async () => {
    const columns = [
      { name: 'amount', type: 'DECIMAL(18,2)' },
      { name: 'id', type: 'BIGINT' },
    ];
    const named = await read('id,amount\n1,2.5\nx,3\n', { columns, maxRejectedRows: 1 });
    expect(named).toMatchObject({ columns: ['id BIGINT', 'amount DECIMAL(18,2)'], rows: [[1, '2.50']] });
    expect(named.rejected?.rows).toEqual([
      {
        line: 3,
        reason: 'WRONG_TYPE',
        column: 'id',
        message: 'Could not convert string "x" to \'BIGINT\'',
        text: 'x,3',
      },
    ]);
    const inOrder = await read('2.5,1\n', { columns, hasHeader: false });
    expect(inOrder).toMatchObject({ columns: ['amount DECIMAL(18,2)', 'id BIGINT'], rows: [['2.50', 1]] });
    expect(await read('id,sum\n1,2\n', { columns })).toMatchObject({
      code: 'schema_mismatch',
      message: 'The file lacks "amount"; "sum" of the file is not declared',
    });
    expect(await read('id,amount\n1,2.505\n', { columns })).toMatchObject({
      code: 'conversion',
      message: 'Column "amount" has numbers with 3 decimals, which DECIMAL(18,2) would round',
    });
    // Written with a power of ten they are rounded as well, or not.
    expect(await read('id,amount\n1,2.5e-2\n', { columns })).toMatchObject({
      code: 'conversion',
      message: 'Column "amount" has numbers with 3 decimals, which DECIMAL(18,2) would round',
    });
    expect(await read('id,amount\n1,2.505E1\n2,-1e2\n3,0.5\n', { columns })).toMatchObject({ code: '' });
  });
});
