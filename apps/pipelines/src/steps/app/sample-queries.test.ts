import { describe, expect, it } from '@jest/globals';
import { step } from '../test/examples.ts';
import { sampleQueries } from './sample-queries.ts';

const none = new Map<string, never>();

describe('the query of a step that is tried', () => {
  it('has what steps before it select, and samples of what comes from outside', () => {
    const steps = [
      step('sums', ['clean'], ['sums'], { query: 'SELECT sum(n) FROM clean;' }),
      step('clean', ['Raw'], ['Clean'], { query: 'SELECT * FROM raw' }),
    ];
    const { query, tables } = sampleQueries({ steps, datasets: none }, 10).ofStep(0);
    expect(tables).toEqual([{ name: 'sample of raw', reference: 'Raw' }]);
    expect(query.replaceAll(/\s+/g, ' ')).toBe(
      'WITH "made by step 1" AS ( WITH "Raw" AS ( SELECT * FROM "sample of raw" LIMIT 10 ) ' +
        'SELECT * FROM ( SELECT * FROM raw ) ), "clean" AS ( SELECT * FROM "made by step 1" ) ' +
        'SELECT * FROM ( SELECT sum(n) FROM clean )',
    );
  });

  it('begins with the rows that a program has made', () => {
    const steps = [
      step('program', ['raw'], ['made'], { queryType: 'PYTHON', query: 'pass' }),
      step('more', ['made'], ['more'], { query: 'SELECT * FROM made' }),
      step('last', ['more'], ['last'], { query: 'SELECT * FROM more' }),
    ];
    const queries = sampleQueries({ steps, datasets: none }, 10);
    expect(queries.ofStep(2).tables).toEqual([{ name: 'made by step 0', madeBy: 0 }]);
    expect(queries.ofInput('Raw')).toEqual({
      query: 'SELECT * FROM "sample of raw" LIMIT 10',
      tables: [{ name: 'sample of raw', reference: 'Raw' }],
    });
  });

  it('has each of them once, by however many ways it is needed', () => {
    const steps = Array.from({ length: 20 }, (_, at) => {
      const inputs = at < 2 ? ['raw'] : [`made ${at - 1}`, `made ${at - 2}`];
      return step(`step ${at}`, inputs, [`made ${at}`], { query: `SELECT ${at} AS the_only_one` });
    });
    const { query, tables } = sampleQueries({ steps, datasets: none }, 10).ofStep(19);
    expect(query.match(/the_only_one/g)).toHaveLength(20);
    expect(tables).toHaveLength(1);
  });
});
