import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import { repetitions } from '@platform-backend/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { reconcilePayments } from '../src/payments/app/reconcile-payments.ts';
import { connectAsSuperuser, ledgerFaults } from './ledger-soundness.ts';
import { disagreements } from './simulator/books.ts';
import { liveThrough } from './simulator/organisation-year.ts';
import { startSimulatedBilling, type SimulatedBilling } from './simulator/simulated-billing.ts';
import { histories } from './simulator/year-actions.ts';

/** `BILLING_YEAR_SEED=7` has the years of that seed happen again, and no others. */
const chosen = process.env['BILLING_YEAR_SEED'];
const seeds = chosen === undefined ? [1, 2] : [Number(chosen)];
const organisations = Number(process.env['BILLING_YEAR_ORGANISATIONS'] ?? repetitions({ usual: 5, long: 100 }));
const entries = repetitions({ usual: 10, long: 24 });

describe('a year of billing', () => {
  const clock = fixedClock('2026-01-15T09:00:00.000Z');
  let billing: SimulatedBilling;
  let superuser: pg.Client;
  beforeAll(async () => {
    billing = await startSimulatedBilling(clock);
    superuser = await connectAsSuperuser(billing.service.database);
  });
  afterAll(async () => {
    await superuser.end();
    await billing.stop();
  });

  it.each(seeds)(
    `adds up for each of ${String(organisations)} organisations, whatever fails and dies, seed %s`,
    async (seed) => {
      await fc.assert(
        fc.asyncProperty(histories({ min: 1, max: entries }), async (history) => {
          expect(await disagreements(billing, await liveThrough(billing, history))).toEqual([]);
        }),
        // What has failed is tried with less and less, until only what it takes is left of the organisation's history.
        { seed, numRuns: organisations },
      );
    },
    24 * 3_600_000,
  );

  it('leaves nothing that differs for all of them together', async () => {
    // Of a seed that somebody has chosen there may be none.
    expect(billing.deaths()).toBeGreaterThan(chosen === undefined ? 0 : -1);
    expect(await ledgerFaults(superuser)).toEqual({});
    const years = 2 * 366;
    const later = fixedClock(new Date(clock.now().getTime() + years * 86_400_000));
    const { ports } = billing.areas().payments.exports;
    expect(await reconcilePayments({ ...ports, clock: later }, years)).toEqual([]);
    expect(await gapsIn('invoices')).toEqual([]);
    expect(await gapsIn('credit_notes')).toEqual([]);
  });

  /** Where numbers of a year do not follow each other. */
  async function gapsIn(table: 'invoices' | 'credit_notes'): Promise<unknown[]> {
    const { rows } = await superuser.query<{ year: string }>(`
      SELECT split_part(number, '-', 2) AS year, count(*)::int, max(split_part(number, '-', 3)::int) FROM ${table}
      GROUP BY 1 HAVING count(*) <> max(split_part(number, '-', 3)::int) OR count(*) <> count(DISTINCT number)`);
    return rows;
  }
});
