import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@platform/core';
import {
  member,
  micros,
  newOrganisation,
  refusalOf,
  service,
  startTestBilling,
  type TestBilling,
} from './test-billing.ts';

let billing: TestBilling;
const [one, other] = [newOrganisation(), newOrganisation()];
const theirs = newId();
beforeAll(async () => {
  billing = await startTestBilling();
  await billing.grant(one, 10);
  await billing.grant(other, 20);
  await reserve(other, theirs, 5);
});
afterAll(() => billing.stop());

const reserve = (organisation: string, reservationId: string, credits: number) =>
  billing.pipelines.credits.reserveCredits(
    { reservationId, amountMicros: micros(credits), purpose: `of ${organisation}` },
    service('pipelines', organisation),
  );

describe('another organisation', () => {
  it('has reservations that cannot be told from ones that do not exist', async () => {
    const as = service('pipelines', one);
    for (const call of [
      (reservationId: string) => billing.pipelines.credits.settleCredits({ reservationId, amountMicros: '1' }, as),
      (reservationId: string) => billing.pipelines.credits.releaseCredits({ reservationId }, as),
    ]) {
      expect(await refusalOf(call(theirs))).toEqual(await refusalOf(call(newId())));
    }
    const extended = await billing.pipelines.credits.extendReservations({ reservationIds: [theirs] }, as);
    expect(extended.reservations).toEqual([]);
  });

  it('may use the same reservation id, and neither notices', async () => {
    expect(await reserve(one, theirs, 3)).toMatchObject({ amountMicros: micros(3), status: 'OPEN' });
    expect(await billing.credits.getCreditBalance({}, member(one))).toMatchObject({ availableMicros: micros(7) });
    expect(await billing.credits.getCreditBalance({}, member(other))).toMatchObject({ availableMicros: micros(15) });
  });

  it('shows nothing of itself in what one reads', async () => {
    const { credits, usage } = billing;
    const read = await Promise.all([
      credits.listCreditTransactions({}, member(one)),
      credits.listCreditGrants({}, member(one)),
      usage.getUsage({}, member(one)),
    ]);
    expect(JSON.stringify(read)).toContain(`of ${one}`);
    expect(JSON.stringify(read)).not.toContain(other);
    expect(JSON.stringify(read)).not.toContain(micros(20));
  });
});
