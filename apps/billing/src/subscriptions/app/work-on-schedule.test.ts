import { describe, expect, it } from '@jest/globals';
import { fixedClock, RoundRobin, type ActorContext, type Logger } from '@platform-backend/core';
import { noon } from '../test/examples.ts';
import { workOnSchedule, type SchedulePorts } from './work-on-schedule.ts';

describe('the schedule of subscriptions', () => {
  it('gives the credits of a plan to one behind sixty others for which that fails every time', async () => {
    const waiting = new Set(Array.from({ length: 61 }, (_, number) => `org_${String(number).padStart(2, '0')}`));
    const sound = 'org_60';
    const none = () => Promise.resolve([]);
    const subscriptions = {
      ...{ renewingSoon: none, due: none, abandoned: none },
      planCreditsDue: (_at: Date, _scope: unknown, limit: number, after = '') => {
        const all = [...waiting];
        return Promise.resolve([...all.filter((id) => id > after), ...all.filter((id) => id <= after)].slice(0, limit));
      },
      givePlanCredits: ({ organisationId }: ActorContext) =>
        organisationId === sound
          ? Promise.resolve(waiting.delete(sound))
          : Promise.reject(new Error('it cannot be given now')),
    };
    const turns = { notices: new RoundRobin(), credits: new RoundRobin(), renewals: new RoundRobin() };
    const ports = { subscriptions, turns, clock: fixedClock(noon.toISOString()) } as unknown as SchedulePorts;
    const logger = { warn: () => undefined } as unknown as Logger;
    expect(await workOnSchedule(ports, logger)).toBe(0);
    expect(await workOnSchedule(ports, logger)).toBe(1);
  });
});
