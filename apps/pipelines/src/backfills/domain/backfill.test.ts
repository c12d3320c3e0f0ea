import { describe, expect, it } from '@jest/globals';
import { DomainError, serviceActorContext } from '@platform-backend/core';
import type { Cell } from '../../step-engine/domain/step-job.ts';
import type { Parameter } from '../../steps/domain/parameters.ts';
import {
  backfillValues,
  cancelBackfill,
  MAX_OPEN_BACKFILLS,
  nextRuns,
  noteStarted,
  settle,
  startBackfill,
  valuesOfRun,
  type Backfill,
  type BackfillRange,
} from './backfill.ts';

const noon = new Date('2026-07-01T12:00:00Z');
const by = serviceActorContext('pipelines', 'org_1', 'request');
const declared: readonly Parameter[] = [
  { name: 'day', type: 'DATE', defaultValue: null, required: true, description: '' },
  { name: 'n', type: 'INTEGER', defaultValue: null, required: false, description: '' },
  { name: 'region', type: 'STRING', defaultValue: 'north', required: false, description: '' },
];
const wanted = { id: 'b', pipelineId: 'p', versionId: 'v', parameter: 'day', parameters: {}, maxConcurrentRuns: 2 };
const range = (first: Cell, last: Cell, step = 1): BackfillRange => ({ first, last, step });
const values = (more: object) => backfillValues({ ...wanted, values: [], range: null, ...more }, declared);
const of = (count: number, more: Partial<Backfill> = {}): Backfill => ({
  ...startBackfill(0, by, { ...wanted, values: Array.from({ length: count }, (_, index) => `v${index}`) }, noon).state,
  ...more,
});
const runs = (open: number, more: object = {}) => ({ open, succeeded: 0, failed: 0, cancelled: 0, ...more });

describe('the values of a backfill', () => {
  it('are those that were given, or all of a range with both of its ends', () => {
    expect(values({ values: ['2026-07-02', '2026-07-01'] })).toEqual(['2026-07-02', '2026-07-01']);
    expect(values({ range: range('2028-02-27', '2028-03-01') })).toEqual([
      ...['2028-02-27', '2028-02-28', '2028-02-29', '2028-03-01'],
    ]);
    expect(values({ range: range('2026-07-01', '2026-07-10', 7) })).toEqual(['2026-07-01', '2026-07-08']);
    const numbers = { parameter: 'n', parameters: { day: '2026-07-01' } };
    expect(values({ ...numbers, range: range(-1, 1) })).toEqual([-1, 0, 1]);
  });

  it.each<[string, object, string]>([
    ['of no parameter', { parameter: 'x', values: [1] }, 'parameter: the version has no such parameter'],
    ['none', {}, 'values: it has either values or a range'],
    ['in two ways', { values: ['2026-07-01'], range: range('a', 'b') }, 'values: it has either values or a range'],
    ['twice the same', { values: ['2026-07-01', '2026-07-01'] }, 'values.1: this value is there twice'],
    ['of another type', { values: ['2026-07-01', 1] }, 'values.1: it is a date such as 2026-07-01'],
    ['backwards', { range: range('2026-07-02', '2026-07-01') }, 'range.last: it comes before the first'],
    ['a day that there is not', { range: range('2026-02-01', '2026-02-30') }, 'range: its ends are of type DATE'],
    ['no dates', { range: range('2026-07-01', 'x') }, 'range: its ends are of type DATE'],
    ['too many', { range: range('2020-01-01', '2026-01-01') }, 'range: it has 2193 values, and at most 1000 may be'],
    [
      'of no order',
      { parameter: 'region', range: range('a', 'b') },
      'range: only a DATE or an INTEGER has one, and region is a STRING',
    ],
    [
      'given twice',
      { parameters: { day: 'x' }, values: ['2026-07-01'] },
      'parameters.day: its values are those of the backfill',
    ],
    ['with a missing one', { parameter: 'n', values: [1] }, 'parameters.day: it is required'],
  ])('are refused: %s', (_, more, said) => {
    try {
      values(more);
      throw new Error('nothing was refused');
    } catch (error) {
      const [found] = (error as DomainError).violations ?? [];
      expect(`${found?.loc.slice(1).join('.')}: ${found?.msg.replace('Value error, ', '')}`).toBe(said);
    }
  });
});

describe('a backfill', () => {
  it('has so many runs at once, in the order of its values, each with its own', () => {
    expect(nextRuns(of(5), runs(0))).toEqual([0, 1]);
    expect(nextRuns(of(5, { startedRuns: 2 }), runs(1))).toEqual([2]);
    expect(nextRuns(of(5, { startedRuns: 2 }), runs(2))).toEqual([]);
    expect(nextRuns(of(5, { startedRuns: 5 }), runs(0))).toEqual([]);
    expect(nextRuns(of(5, { status: 'Cancelled' }), runs(0))).toEqual([]);
    expect(valuesOfRun(of(2, { parameters: { region: 'west' } }), 1)).toEqual({ region: 'west', day: 'v1' });
  });

  it('never forgets what it has started, whoever notes it late', () => {
    const backfill = of(5, { startedRuns: 3 });
    expect(noteStarted(backfill, 2).state).toBe(backfill);
    expect(noteStarted(backfill, 4).state.startedRuns).toBe(4);
    expect(noteStarted({ ...backfill, status: 'Cancelled' }, 4).state).toMatchObject({ status: 'Cancelled' });
  });

  it('ends when all of its runs have, and well when they have', () => {
    const all = of(2, { startedRuns: 2 });
    expect(settle(all, runs(1), noon).state.status).toBe('Running');
    expect(settle(of(2, { startedRuns: 1 }), runs(0), noon).state.status).toBe('Running');
    expect(settle(all, runs(0, { succeeded: 2 }), noon)).toMatchObject({
      state: { status: 'Succeeded', message: '', finishedAt: noon },
      events: [{ name: 'backfill.finished' }],
    });
    const failed = settle(all, runs(0, { succeeded: 1, failed: 1 }), noon).state;
    expect(failed).toMatchObject({ status: 'Failed', message: '1 of its runs have not succeeded' });
  });

  it('is cancelled once, and is one of a few', () => {
    const cancelled = cancelBackfill(of(2), noon).state;
    expect(cancelled).toMatchObject({ status: 'Cancelled', finishedAt: noon });
    expect(cancelBackfill(cancelled, noon).events).toEqual([]);
    expect(() => startBackfill(MAX_OPEN_BACKFILLS, by, { ...wanted, values: [1] }, noon)).toThrow(DomainError);
  });
});
