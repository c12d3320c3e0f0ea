import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, service } from '@platform-backend/service/testing';
import { micros, startTestBilling, type TestBilling } from './test-billing.ts';

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
afterAll(() => billing.stop());

it('two organisations may use the same reservation id, and neither notices', async () => {
  const [one, other] = [newOrganisation(), newOrganisation()];
  await billing.grant(one, 10);
  await billing.grant(other, 20);
  const reservationId = newId();
  const reserve = (organisation: string, credits: number) =>
    billing.pipelines.credits.reserveCredits(
      { reservationId, amountMicros: micros(credits), purpose: 'run' },
      service('pipelines', organisation),
    );
  await reserve(other, 5);
  expect(await reserve(one, 3)).toMatchObject({ amountMicros: micros(3), status: 'OPEN' });
  expect(await billing.credits.getCreditBalance({}, member(one))).toMatchObject({ availableMicros: micros(7) });
  expect(await billing.credits.getCreditBalance({}, member(other))).toMatchObject({ availableMicros: micros(15) });
});
