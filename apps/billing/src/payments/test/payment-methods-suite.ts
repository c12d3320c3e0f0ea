import { describe, expect, it } from '@jest/globals';
import { newId } from '@platform-backend/core';
import { member, newOrganisation, refusalOf } from '@platform-backend/service/testing';
import { stripe, billing, setUp, list, customerOf } from './stripe-under-test.ts';

export function paymentMethodsSuite(): void {
  describe('payment methods at Stripe', () => {
    it('are set up with a secret, listed newest first, and the first one is the default', async () => {
      const ada = member(newOrganisation());
      expect(await list(ada)).toEqual([]);
      await setUp(ada);
      await setUp(ada);
      const methods = await list(ada);
      expect(methods).toMatchObject([
        { kind: 'card', brand: 'visa', lastFour: '4242', expiryMonth: 8, expiryYear: 2031 },
        { kind: 'card' },
      ]);
      expect(methods.filter(({ isDefault }) => isDefault)).toHaveLength(1);
      expect(JSON.stringify(methods)).not.toMatch(/pm_|cus_/);
    });

    it('belong to one customer, made from the organisation, however many ask at once', async () => {
      const organisationId = newOrganisation();
      await Promise.all(
        Array.from({ length: 5 }, () => billing.paymentMethods.createSetupIntent({}, member(organisationId))),
      );
      expect(customerOf(organisationId)).toHaveLength(1);
    });

    it('are never shown to, chosen by or taken from another organisation', async () => {
      const [ada, bob] = [member(newOrganisation()), member(newOrganisation())];
      await setUp(ada);
      const paymentMethodId = (await list(ada))[0]?.id ?? '';
      expect(await list(bob)).toEqual([]);
      await setUp(bob);
      const other = [
        billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId }, bob),
        billing.paymentMethods.detachPaymentMethod({ paymentMethodId }, bob),
        billing.paymentMethods.setDefaultPaymentMethod({ paymentMethodId: newId() }, bob),
      ];
      for (const refusal of await Promise.all(other.map(refusalOf))) {
        expect(refusal).toEqual({
          kind: 'not_found',
          code: 'payment_method_not_found',
          message: 'Payment method not found',
        });
      }
      expect(await list(ada)).toHaveLength(1);
    });

    it('that Stripe refuses to let go are kept here as well, and those it has let go are not', async () => {
      const ada = member(newOrganisation());
      await setUp(ada);
      await setUp(ada);
      const [newer] = await list(ada);
      const detach = () => billing.paymentMethods.detachPaymentMethod({ paymentMethodId: newer?.id ?? '' }, ada);
      const [reference = '', method] = [...stripe.methods].at(-1) ?? [];
      stripe.held.add(reference);
      expect(await refusalOf(detach())).toMatchObject({ kind: 'upstream_failed' });
      expect(await list(ada)).toHaveLength(2);
      stripe.held.delete(reference);
      // An earlier attempt got through, and its answer was lost.
      if (method) method.customer = null;
      expect(await detach()).toEqual({ id: newer?.id, deleted: true });
      expect(await list(ada)).toHaveLength(1);
    });

    it('can be made the default and detached; the newest of the others takes its place', async () => {
      const ada = member(newOrganisation());
      await setUp(ada);
      await list(ada);
      await setUp(ada);
      const [newer, older] = await list(ada);
      const { paymentMethods } = billing;
      const paymentMethodId = newer?.id ?? '';
      expect(await paymentMethods.setDefaultPaymentMethod({ paymentMethodId }, ada)).toMatchObject({ isDefault: true });
      expect(await paymentMethods.detachPaymentMethod({ paymentMethodId }, ada)).toEqual({
        id: paymentMethodId,
        deleted: true,
      });
      expect(await list(ada)).toMatchObject([{ id: older?.id, isDefault: true }]);
      expect(await refusalOf(paymentMethods.detachPaymentMethod({ paymentMethodId }, ada))).toMatchObject({
        kind: 'not_found',
      });
    });

    it('are looked at by an ADMIN and changed by an OWNER; a set-up intent needs an ADMIN of whoever has an account', async () => {
      const organisationId = newOrganisation();
      await setUp(member(organisationId));
      const paymentMethodId = (await list(member(organisationId)))[0]?.id ?? '';
      const { paymentMethods } = billing;
      const [admin, editor] = [member(organisationId, 'ADMIN'), member(organisationId, 'EDITOR')];
      expect(await list(admin)).toHaveLength(1);
      const calls = [
        paymentMethods.setDefaultPaymentMethod({ paymentMethodId }, admin),
        paymentMethods.detachPaymentMethod({ paymentMethodId }, admin),
        paymentMethods.listPaymentMethods({}, editor),
        paymentMethods.createSetupIntent({}, editor),
      ];
      for (const refusal of await Promise.all(calls.map(refusalOf))) {
        expect(refusal).toMatchObject({ kind: 'forbidden' });
      }
    });
  });
}
