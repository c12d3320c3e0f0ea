import { beforeEach, describe, expect, it } from '@jest/globals';
import { quietly, trackActivity, type Activity } from './activity.ts';

let at = 0;
let activity: Activity;
beforeEach(() => {
  at = 0;
  activity = trackActivity(() => at);
});
const aMinuteLater = () => void (at += 60_000);

describe('activity', () => {
  it('is lively at first, and a minute long after whatever has happened last', () => {
    expect(activity.isLively()).toBe(true);
    aMinuteLater();
    expect(activity.isLively()).toBe(false);
    activity.happened();
    expect(activity.isLively()).toBe(true);
    aMinuteLater();
    expect(activity.isLively()).toBe(false);
  });

  it('tells whoever waits of what happens next, once', () => {
    const [one, other] = [activity.next(), activity.next()];
    activity.happened();
    expect([one.aborted, other.aborted, activity.next().aborted]).toEqual([true, true, false]);
  });

  it('is what is written, but for what is written quietly, also a while later', async () => {
    aMinuteLater();
    await quietly(async () => {
      await Promise.resolve();
      activity.written();
    });
    expect(activity.isLively()).toBe(false);
    activity.written();
    expect(activity.isLively()).toBe(true);
  });

  it('is also what happens within quiet work', () => {
    aMinuteLater();
    quietly(() => activity.happened());
    expect(activity.isLively()).toBe(true);
  });
});
