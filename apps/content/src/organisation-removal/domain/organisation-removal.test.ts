import { describe, expect, it } from '@jest/globals';
import { beginRemoval, endRemoval, type OrganisationRemoval } from './organisation-removal.ts';

const HOUR_MS = 60 * 60_000;
const noon = new Date('2026-01-01T12:00:00Z');
const hours = (count: number) => new Date(noon.getTime() + count * HOUR_MS);
const deleted: OrganisationRemoval = { id: 'o', deletedAt: noon, dueAt: noon };

describe('the removal of an organisation', () => {
  it('begins once, however often it is said', () => {
    const { state, events } = beginRemoval(undefined, 'o', noon);
    expect([state, events]).toEqual([deleted, []]);
    expect(beginRemoval(state, 'o', hours(1)).state).toBe(state);
  });

  it('is told once, and goes on every hour for a day', () => {
    const first = endRemoval(deleted, noon);
    expect(first.events).toMatchObject([{ name: 'organisation_content.removed', subject: 'o' }]);
    let removal = first.state;
    let rounds = 0;
    for (let hour = 1; removal; hour += 1) {
      expect(removal).toEqual({ ...deleted, endedAt: noon, dueAt: hours(hour) });
      const { state, events } = endRemoval(removal, hours(hour));
      expect(events).toEqual([]);
      removal = state;
      rounds += 1;
    }
    expect(rounds).toBe(24);
    expect(endRemoval(undefined, noon)).toMatchObject({ state: undefined, events: [] });
  });
});
