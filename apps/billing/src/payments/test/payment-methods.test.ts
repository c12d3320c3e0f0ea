import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { maxPaymentMethods } from '../domain/wallet.ts';

let billing: TestBilling;
beforeAll(async () => {
  billing = await startTestBilling();
});
afterAll(() => billing.stop());

it('an organisation has so many payment methods at most, and is told what to do about it', async () => {
  const by = member(newOrganisation());
  const setUp = () => billing.paymentMethods.createSetupIntent({}, by);
  for (let n = 0; n < maxPaymentMethods; n += 1) {
    const { clientSecret } = await setUp();
    await billing.paymentMethods.confirmInSandbox({ clientSecret, card: 'pm_card_visa' }, by);
  }
  expect(await refusalOf(setUp())).toEqual({
    kind: 'conflict',
    code: 'too_many_payment_methods',
    message: 'An organisation can have 20 payment methods: remove one first',
  });
  const { paymentMethods } = await billing.paymentMethods.listPaymentMethods({}, by);
  const last = paymentMethods.find(({ isDefault }) => !isDefault)?.id ?? '';
  await billing.paymentMethods.detachPaymentMethod({ paymentMethodId: last }, by);
  expect((await setUp()).clientSecret).not.toBe('');
});

it('an organisation becomes a customer once, however many of its members set something up at the same moment', async () => {
  const ask = (by: ReturnType<typeof member>) => billing.paymentMethods.createSetupIntent({}, by);
  // Whether two writers meet at the same index entry is a matter of luck.
  for (let round = 0; round < 100; round += 1) {
    const organisationId = newOrganisation();
    const asked = Array.from({ length: 4 }, () => ask(member(organisationId)));
    expect(await Promise.allSettled(asked)).toEqual(asked.map(() => expect.objectContaining({ status: 'fulfilled' })));
  }
});

it('a set-up intent whose answer was lost is the same one when the call is repeated, and told once', async () => {
  const organisationId = newOrganisation();
  const asked = { ...member(organisationId), idempotencyKey: newId() };
  const first = await billing.paymentMethods.createSetupIntent({}, asked);
  // As a process leaves it that dies before it has answered.
  await billing.pool.tenant(organisationId, (trx) =>
    trx('keyed_calls').update({ answer: null, has_changed: false, lease_until: new Date(0) }),
  );
  expect(await billing.paymentMethods.createSetupIntent({}, asked)).toEqual(first);
  const told = await billing.pool.tenant(organisationId, (trx) =>
    trx('outbox').where('type', 'like', '%.payment_method.setup_started').select('id'),
  );
  expect(told).toHaveLength(1);
});
