import { describe, expect, it } from '@jest/globals';
import { step } from '../../steps/test/examples.ts';
import { noon, runOf } from '../test/examples.ts';
import { cancelRun, stopOverdue } from './change-run.ts';
import { runNotifications, type NotifyingPipeline } from './run-notifications.ts';
import type { Run } from './run.ts';

const pipeline: NotifyingPipeline = {
  name: 'Sales',
  notificationSettings: [{ method: 'SLACK', channelIds: ['C1', 'C1'] }],
  notifyOn: 'FAILURE',
  pausedReason: null,
};
const run = runOf([step('a', [], ['x'])]);
const later = new Date(noon.getTime() + 3_600_000);
const told = (ended: Run, changed: Partial<NotifyingPipeline> = {}) =>
  runNotifications({ ...pipeline, ...changed }, ended, () => 'id', later);

describe('what is told of the end of a run', () => {
  it('is a failure with its reason, to everybody once', () => {
    const failed = stopOverdue(run, later).state;
    expect(told(failed)).toEqual([
      expect.objectContaining({
        ...{ method: 'SLACK', recipient: 'C1', title: 'Sales: failed', status: 'PENDING', nextAttemptAt: later },
        text: `The run took longer than 3600 s\n\nRun ${run.id}, started by somebody at 2026-07-01T12:00:00.000Z.`,
      }),
    ]);
    expect(told(failed, { pausedReason: 'five failed' })[0]?.text).toContain('Its schedule is paused: five failed.');
  });

  it('is any other end where that is wanted', () => {
    const cancelled = cancelRun(run, later).state;
    const succeeded: Run = { ...run, status: 'Succeeded', finishedAt: later };
    expect([...told(cancelled), ...told(succeeded)]).toEqual([]);
    const titles = [cancelled, succeeded].flatMap((one) => told(one, { notifyOn: 'FINISH' })).map(({ title }) => title);
    expect(titles).toEqual(['Sales: cancelled', 'Sales: done']);
  });
});
