import { describe, expect, it } from '@jest/globals';
import { markdownOfRun } from './run-report.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 12) + seconds * 1000);

describe('the report of a run', () => {
  it('tells how it ended, and of each step what it makes and how long it took', () => {
    const markdown = markdownOfRun({
      name: 'monthly_figures',
      status: 'Failed',
      message: 'A step failed',
      startedAt: at(0),
      finishedAt: at(3.5),
      steps: [
        { name: 'clean', status: 'Succeeded', message: '', startedAt: at(0), finishedAt: at(1), makes: ['tidy'] },
        { name: 'check | all', status: 'Failed', message: '<b>2 rows', startedAt: at(1), finishedAt: at(3), makes: [] },
        { name: 'sum', status: 'Omitted', message: '', startedAt: null, finishedAt: null, makes: ['sums', 'means'] },
      ],
    });
    expect(markdown.split('\n')).toEqual([
      String.raw`# monthly\_figures`,
      '',
      '**Failed**, finished 2026-01-01T12:00:03.500Z after 3.5 s.',
      '',
      'A step failed',
      '',
      '| Step | Makes | Status | Took | |',
      '| --- | --- | --- | --- | --- |',
      '| clean | tidy | Succeeded | 1.0 s |  |',
      String.raw`| check \| all |  | Failed | 2.0 s | \<b\>2 rows |`,
      '| sum | sums, means | Omitted |  |  |',
    ]);
  });
});
