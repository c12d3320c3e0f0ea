import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parseSeatPrices } from './parse-seat-prices.ts';

describe('the seat prices', () => {
  it('can be used as they are delivered', () => {
    const text = readFileSync(new URL('../../../config/seat-prices.json', import.meta.url), 'utf8');
    expect(parseSeatPrices(text)).toMatchObject({
      currency: 'EUR',
      perSeat: { TEAM: { MONTHLY: 2_900n } },
      trialDays: { TEAM: 14 },
    });
  });

  it('names everything that is wrong at once', () => {
    const text = JSON.stringify({
      currency: 'euro',
      minor_units_per_seat: { BASIC: { MONTHLY: 1.5, YEARLY: -1 }, TEAM: { MONTHLY: 1, YEARLY: 2 } },
      credits_per_seat: { TEAM: { MONTHLY: 0.5 } },
      trial_days: { TEAM: 731 },
    });
    expect(() => parseSeatPrices(text)).toThrow(
      'nothing can be paid in the currency euro; the price of BASIC MONTHLY is no whole number of minor units that can be paid; ' +
        'the price of BASIC YEARLY is no whole number of minor units that can be paid; ' +
        'what comes with TEAM MONTHLY is no whole number of credits up to 1000000; ' +
        'a trial of TEAM lasts no whole number of days up to 730',
    );
  });
});
