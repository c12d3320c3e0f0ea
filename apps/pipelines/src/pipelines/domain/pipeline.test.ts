import { describe, expect, it } from '@jest/globals';
import { step } from '../../steps/test/examples.ts';
import { settings } from '../test/examples.ts';
import {
  archivePipeline,
  changePipeline,
  countScheduledRun,
  createPipeline,
  pausedReasonOf,
  publishVersion,
  scheduleSpecOf,
  type Pipeline,
} from './pipeline.ts';

const noon = new Date('2026-07-01T12:00:00Z');
const later = new Date('2026-07-01T13:00:00Z');
const wanted = { id: 'v', stepIds: ['s'], stepOrder: 'DATASETS', steps: [step('a', [], ['x'])] } as const;
const daily = { ...settings, cronSchedule: '0 3 * * *', timeZone: 'Europe/Berlin' };
const published = createPipeline('p', daily, wanted, noon).state.pipeline;

const after = (pipeline: Pipeline, ...outcomes: readonly boolean[]): Pipeline =>
  outcomes.reduce((before, hasSucceeded) => countScheduledRun(before, hasSucceeded, later).state, pipeline);

describe('the schedule of a pipeline', () => {
  it('is due by its cron expression in its time zone, unless it is paused or the pipeline archived', () => {
    expect(scheduleSpecOf(published)).toEqual({
      ...{ cron: '0 3 * * *', timeZone: 'Europe/Berlin', startsAt: null, catchUp: 'LATEST' },
    });
    expect(scheduleSpecOf(changePipeline(published, { scheduleEnabled: false }, later).state)).toBeNull();
    expect(scheduleSpecOf(archivePipeline(published, later).state)).toBeNull();
    expect(scheduleSpecOf(changePipeline(published, { cronSchedule: null }, later).state)).toBeNull();
  });

  it('begins with the first version, and says so before', () => {
    const { pipeline } = createPipeline('p', daily, undefined, noon).state;
    expect(scheduleSpecOf(pipeline)).toBeNull();
    expect(pausedReasonOf(pipeline)).toBe('It has no version yet: the schedule begins with the first one');
    const { pipeline: begun } = publishVersion(pipeline, wanted, later).state;
    expect(scheduleSpecOf(begun)).not.toBeNull();
    expect(pausedReasonOf(begun)).toBeNull();
    expect(pausedReasonOf({ ...pipeline, cronSchedule: null })).toBeNull();
  });

  it('is paused by the fifth run in a row that failed, and tells of it', () => {
    const four = after(published, false, false, false, false);
    expect(four).toMatchObject({ scheduleEnabled: true, failuresInRow: 4 });
    expect(after(four, true)).toMatchObject({ scheduleEnabled: true, failuresInRow: 0 });
    const { state, events } = countScheduledRun(four, false, later);
    const pausedReason = '5 runs of it failed one after the other';
    expect(state).toMatchObject({ scheduleEnabled: false, pausedReason, failuresInRow: 5, updatedAt: later });
    expect(scheduleSpecOf(state)).toBeNull();
    expect(pausedReasonOf(state)).toBe(pausedReason);
    expect(events).toMatchObject([
      {
        name: 'pipeline.updated',
        data: { changed_fields: ['schedule_enabled', 'paused_reason'], schedule_enabled: false },
        change: { before: { schedule_enabled: true }, after: { paused_reason: pausedReason } },
      },
    ]);
  });

  it('stays as it is when a run that began before it was paused fails as well', () => {
    const paused = after(published, false, false, false, false, false);
    const { state, events } = countScheduledRun(paused, false, later);
    expect(state).toMatchObject({ scheduleEnabled: false, pausedReason: paused.pausedReason });
    expect(events).toEqual([]);
  });

  it('begins to count anew when somebody resumes it', () => {
    const paused = after(published, false, false, false, false, false);
    const { state } = changePipeline(paused, { scheduleEnabled: true }, later);
    expect(state).toMatchObject({ scheduleEnabled: true, pausedReason: null, failuresInRow: 0 });
  });
});
