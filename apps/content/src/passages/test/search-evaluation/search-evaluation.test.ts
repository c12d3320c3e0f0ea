import { beforeAll, describe, expect, it } from '@jest/globals';
import { leaveOut } from '@platform-backend/testing/where';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { evaluateSearch } from './search-evaluation.ts';

/** As the tests of the encoders look for them; MiniLM is left out where it is not installed. */
const installed =
  process.env['MODELS_DIR'] ?? join(import.meta.dirname, '../../../../../../node_modules/.cache/models');

interface Row {
  readonly name: string;
  readonly questions: string;
  readonly at5: number;
  readonly at1: number;
}

describe('a search by words and by the meaning that an encoder gives', () => {
  let rows: readonly Row[];
  beforeAll(async () => {
    const lines: string[] = [];
    await evaluateSearch({ MODELS_DIR: existsSync(installed) ? installed : undefined }, (line) => lines.push(line));
    rows = JSON.parse(lines.at(-1) ?? '[]') as Row[];
    const hasMiniLm = rows.some(({ name }) => name.includes('MiniLM'));
    if (!hasMiniLm) leaveOut('the model all-MiniLM-L6-v2 is not installed: a search with it is not measured');
  });

  it('finds no less than the better of the two, in either kind of question and with every encoder that is there', () => {
    const both = rows.filter(({ name }) => name.startsWith('BM25 and '));
    expect(both.length).toBeGreaterThan(0);
    for (const { name, questions, at5, at1 } of both) {
      const alone = rows.filter(
        (row) => row.questions === questions && (row.name === 'BM25' || name === `BM25 and ${row.name}`),
      );
      expect(alone).toHaveLength(2);
      for (const one of alone) {
        expect(at5).toBeGreaterThanOrEqual(one.at5);
        expect(at1).toBeGreaterThanOrEqual(one.at1);
      }
    }
  });
});
