import { describe, expect, it } from '@jest/globals';
import { datasetFileName } from './datasets.ts';
import { pathProblem } from './file-path.ts';

describe('a dataset as a file', () => {
  it.each([
    ['sales', 'PARQUET', 'sales.parquet'],
    ['Sales 2026', 'JSON_LINES', 'Sales 2026.jsonl'],
    ['sales.csv', 'CSV', 'sales.csv'],
    ['SALES.CSV', 'PARQUET', 'SALES.CSV.parquet'],
    ['eu/north\\west\n', 'CSV', 'eu_north_west_.csv'],
    ['..', 'CSV', '...csv'],
  ] as const)('of the name %j as %s is called %s', (name, format, expected) => {
    expect(datasetFileName(name, format)).toBe(expected);
  });

  it('has a name that a file may have, whatever the name of the dataset is', () => {
    for (const name of ['ü'.repeat(200), '𝒮'.repeat(200), '/'.repeat(200), '\ud800', 'x'.repeat(200)]) {
      const path = datasetFileName(name, 'PARQUET');
      expect(pathProblem(path)).toBeUndefined();
      expect(path.endsWith('.parquet')).toBe(true);
    }
  });
});
