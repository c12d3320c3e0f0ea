import { describe, expect, it } from '@jest/globals';
import { hoursBeginningWithin, hoursIn } from './days.ts';
import { requireFewHours, shownHours } from './usage-hours.ts';

const hours = (from: string, to: string) => hoursBeginningWithin(new Date(from), new Date(to));

describe('usage by hour', () => {
  it('is shown of 31 days at once, and not of an hour more', () => {
    expect(() => requireFewHours(hours('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z'))).not.toThrow();
    expect(() => requireFewHours(hours('2026-10-01T00:00:00Z', '2026-11-01T01:00:00Z'))).toThrow(
      expect.objectContaining({ kind: 'invalid' }),
    );
  });

  it('is not shown of hours that are only kept in part', () => {
    const shown = shownHours(hours('2026-08-20T00:00:00Z', '2026-09-01T00:00:00Z'), new Date('2026-11-25T11:37:00Z'));
    expect(shown.from).toEqual(new Date('2026-08-27T12:00:00Z'));
    expect(hoursIn(shownHours(hours('2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z'), new Date('2026-11-25')))).toBe(24);
  });
});
