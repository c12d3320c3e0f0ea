import { describe, expect, it } from '@jest/globals';
import { DomainError, newId } from '@platform-backend/core';
import { refusalOf } from '@platform-backend/service/testing';
import { waitFor } from '@platform-backend/testing';
import { type Founder } from '../../../test/real-identity.ts';
import { micros } from '../../../test/test-billing.ts';
import { pdfPages } from '../../invoices/test/pdf-text.ts';
import { identity, stripe, billing, setUp, list, change, paymentsOf, eventOf, report } from './stripe-under-test.ts';

export function refundsSuite(): void {
  describe('money that is given back', () => {
    const bought = async () => {
      const ada = await identity.found();
      await setUp(ada);
      await list(ada);
      await billing.credits.purchaseCredits({ credits: 700 }, ada);
      const { invoices } = await billing.invoices.listInvoices({}, ada);
      const intent = String(paymentsOf(ada.organisation.id)[0]?.['id']);
      const amount = Number(paymentsOf(ada.organisation.id)[0]?.['amount']);
      return { ada, invoiceId: invoices[0]?.id ?? '', intent, amount };
    };
    const available = async (ada: Founder) => (await billing.credits.getCreditBalance({}, ada)).availableMicros;

    it('is on its way until Stripe reports that it has arrived, and its credits are taken meanwhile', async () => {
      const { ada, invoiceId, amount } = await bought();
      const half = String(Math.floor(amount / 2));
      stripe.answerRefunds('pending');
      const begun = await billing.refunds.createRefund({ invoiceId, amountMinor: half }, ada);
      stripe.answerRefunds('succeeded');
      expect(begun).toMatchObject({ status: 'PENDING', creditNoteId: null, amountMinor: half });
      const left = BigInt(micros(700)) - BigInt(begun.creditsMicros);
      expect(await available(ada)).toBe(String(left));
      const there = stripe.refunds.at(-1);
      Object.assign(there ?? {}, { status: 'succeeded' });
      for (let time = 0; time < 2; time += 1) await report(eventOf('refund.updated', there ?? {}));
      const ended = await billing.refunds.getRefund({ refundId: begun.id }, ada);
      expect(ended).toMatchObject({ status: 'SUCCEEDED' });
      const creditNoteId = ended.creditNoteId ?? '';
      const note = await billing.refunds.getCreditNote({ creditNoteId }, ada);
      expect(note).toMatchObject({
        invoiceId,
        totalMinor: half,
        number: expect.stringMatching(/^CN-\d{4}-\d{6}$/),
      });
      const { content } = await billing.refunds.getCreditNotePdf({ creditNoteId }, ada);
      const text = (await pdfPages(content)).join('\n');
      for (const part of ['Credit note', note.number, `For invoice ${note.invoiceNumber}`])
        expect(text).toContain(part);
      expect(text).not.toContain('Left to pay');
    });

    it('has its credits again when Stripe can not give it back', async () => {
      const { ada, invoiceId } = await bought();
      stripe.answerRefunds('pending');
      const begun = await billing.refunds.createRefund({ invoiceId }, ada);
      stripe.answerRefunds('succeeded');
      expect(await available(ada)).toBe('0');
      const there = Object.assign(stripe.refunds.at(-1) ?? {}, {
        status: 'failed',
        failure_reason: 'expired_or_canceled_card',
      });
      await report(eventOf('refund.failed', there));
      expect(await billing.refunds.getRefund({ refundId: begun.id }, ada)).toMatchObject({
        status: 'FAILED',
        code: 'expired_or_canceled_card',
      });
      expect(await available(ada)).toBe(micros(700));
      expect((await billing.invoices.getInvoice({ invoiceId }, ada)).refundedMinor).toBe('0');
    });

    it('is what is not spent, and nothing of what others have bought', async () => {
      const { ada, invoiceId, amount } = await bought();
      await billing.book(ada.organisation.id, 630);
      const refusal = await refusalOf(billing.refunds.createRefund({ invoiceId, amountMinor: String(amount) }, ada));
      expect(refusal).toMatchObject({ kind: 'conflict', code: 'refund_too_large' });
      const refund = await billing.refunds.createRefund({ invoiceId }, ada);
      expect(refund).toMatchObject({ status: 'SUCCEEDED', amountMinor: String(Math.floor(amount / 10)) });
      // Less than a cent is left.
      expect(Number(refund.creditsMicros)).toBeGreaterThan(Number(micros(69)));
      expect(Number(refund.creditsMicros)).toBeLessThanOrEqual(Number(micros(70)));
      expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, ada))).toMatchObject({
        code: 'nothing_to_refund',
      });
      const eve = await identity.found();
      expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, eve))).toMatchObject({ kind: 'not_found' });
    });

    it('is what changes of a subscription have left over, unless that is kept as balance', async () => {
      const ada = await identity.found();
      await setUp(ada);
      await list(ada);
      const yearly = { seatCount: 10, subscriptionTier: 'TEAM', renewalCycle: 'YEARLY' } as const;
      await billing.subscriptions.changeSubscription(yearly, ada);
      await billing.subscriptions.changeSubscription({ ...yearly, seatCount: 1, renewalCycle: 'MONTHLY' }, ada);
      const { credit } = await billing.subscriptions.getSubscription({}, ada);
      expect(credit).toBeGreaterThan(29);
      const { invoices } = await billing.invoices.listInvoices({}, ada);
      const invoiceId = invoices.at(-1)?.id ?? '';
      const refund = await billing.refunds.createRefund({ invoiceId }, ada);
      expect(refund).toMatchObject({ status: 'SUCCEEDED', balanceMinor: String(Math.round(credit * 100)) });
      expect(Number(refund.amountMinor) - Number(refund.taxMinor)).toBe(Math.round(credit * 100));
      expect((await billing.subscriptions.getSubscription({}, ada)).credit).toBe(0);
      expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, ada))).toMatchObject({
        code: 'nothing_to_refund',
      });
    });

    it('is disputed at the bank: balance and invoice show it, until it is won', async () => {
      const { ada, invoiceId, intent, amount } = await bought();
      await billing.book(ada.organisation.id, 10);
      const dispute = {
        ...{ id: `dp_${newId()}`, object: 'dispute', payment_intent: intent, amount, currency: 'eur' },
        ...{ reason: 'fraudulent', status: 'needs_response' },
      };
      for (let time = 0; time < 2; time += 1) await report(eventOf('charge.dispute.created', dispute));
      expect(await available(ada)).toBe(micros(-10));
      const invoice = () => billing.invoices.getInvoice({ invoiceId }, ada);
      expect(await invoice()).toMatchObject({ disputedMinor: String(amount) });
      expect(await refusalOf(billing.refunds.createRefund({ invoiceId }, ada))).toMatchObject({
        code: 'nothing_to_refund',
      });
      await report(eventOf('charge.dispute.closed', { ...dispute, status: 'won' }));
      await report(eventOf('charge.dispute.updated', { ...dispute, status: 'under_review' }));
      expect(await available(ada)).toBe(micros(690));
      expect(await invoice()).toMatchObject({ disputedMinor: '0' });
      const { disputes } = await billing.refunds.listDisputes({}, ada);
      expect(disputes).toMatchObject([{ status: 'WON', invoiceId, amountMinor: String(amount), reason: 'fraudulent' }]);
    });

    it('is not taken by a bank that only inquires, until it does', async () => {
      const { ada, intent, amount } = await bought();
      const inquiry = {
        ...{
          id: `dp_${newId()}`,
          object: 'dispute',
          payment_intent: intent,
          amount,
          currency: 'eur',
          reason: 'general',
        },
        status: 'warning_needs_response',
      };
      await report(eventOf('charge.dispute.created', inquiry));
      await report(eventOf('charge.dispute.updated', { ...inquiry, status: 'warning_under_review' }));
      expect(await available(ada)).toBe(micros(700));
      expect((await billing.refunds.listDisputes({}, ada)).disputes).toEqual([]);
      await report(eventOf('charge.dispute.updated', { ...inquiry, status: 'needs_response' }));
      expect(await available(ada)).toBe('0');
      expect((await billing.refunds.listDisputes({}, ada)).disputes).toMatchObject([{ status: 'OPEN' }]);
    });

    it('is disputed though nothing was given for it, and what another payment has bought stays', async () => {
      const { ada, invoiceId } = await bought();
      const surplus = `pi_${newId()}`;
      await billing.pool.tenant(ada.organisation.id, (trx) =>
        trx.raw(
          `INSERT INTO payments SELECT (jsonb_populate_record(known, jsonb_build_object('id', gen_random_uuid(), 'attempt', 2,
           'reference', CAST(? AS text), 'idempotency_key', gen_random_uuid()))).* FROM payments AS known`,
          [surplus],
        ),
      );
      const dispute = {
        ...{ id: `dp_${newId()}`, object: 'dispute', payment_intent: surplus, amount: 833, currency: 'eur' },
        ...{ reason: 'duplicate', status: 'needs_response', metadata: {} },
      };
      await report(eventOf('charge.dispute.created', dispute));
      expect((await billing.refunds.listDisputes({}, ada)).disputes).toMatchObject([
        { status: 'OPEN', invoiceId: null },
      ]);
      expect(await available(ada)).toBe(micros(700));
      expect(await billing.invoices.getInvoice({ invoiceId }, ada)).toMatchObject({ disputedMinor: '0' });
    });

    it('is disputed before we have heard that it was paid', async () => {
      const ada = await identity.found();
      await setUp(ada);
      await list(ada);
      stripe.loseAnswers('after');
      await billing.credits.purchaseCredits({ credits: 700 }, ada).catch(() => undefined);
      stripe.loseAnswers('no');
      const { id, amount } = paymentsOf(ada.organisation.id)[0] ?? {};
      const dispute = {
        ...{ id: `dp_${newId()}`, object: 'dispute', payment_intent: id, amount, currency: 'eur', reason: 'general' },
        ...{ status: 'needs_response', metadata: { payment_id: '' } },
      };
      await report(eventOf('charge.dispute.created', dispute));
      expect((await billing.credits.listCreditPurchases({}, ada)).purchases).toMatchObject([{ status: 'SUCCEEDED' }]);
      expect(await available(ada)).toBe('0');
    });

    it('comes back after all, as banks send it days later: the refund has failed, and its credit note is void', async () => {
      const { ada, invoiceId } = await bought();
      const made = await billing.refunds.createRefund({ invoiceId }, ada);
      expect(made).toMatchObject({ status: 'SUCCEEDED' });
      const there = Object.assign(stripe.refunds.at(-1) ?? {}, {
        ...{ status: 'failed', failure_reason: 'lost_or_stolen_card' },
      });
      for (let time = 0; time < 2; time += 1) await report(eventOf('refund.failed', there));
      const failed = await billing.refunds.getRefund({ refundId: made.id }, ada);
      expect(failed).toMatchObject({ status: 'FAILED', code: 'lost_or_stolen_card', creditNoteId: made.creditNoteId });
      const note = await billing.refunds.getCreditNote({ creditNoteId: made.creditNoteId ?? '' }, ada);
      expect(note.voidedAt).not.toBeNull();
      const exported: string[] = [];
      for await (const { chunk } of billing.exports.exportCreditNotes({ format: 'jsonl' }, ada))
        exported.push(Buffer.from(chunk).toString());
      expect(JSON.parse(exported.join(''))).toMatchObject({
        number: note.number,
        voided_at: note.voidedAt?.toISOString(),
      });
      expect(await available(ada)).toBe(micros(700));
      expect((await billing.invoices.getInvoice({ invoiceId }, ada)).refundedMinor).toBe('0');
    });

    it('is all that was paid for a change that had been given up by then', async () => {
      const ada = await identity.found();
      await setUp(ada, 'pm_card_authenticationRequired');
      await list(ada);
      const begun = await change(ada, 3).catch((error: unknown) =>
        error instanceof DomainError ? error.pending : undefined,
      );
      const changeId = (begun as { id: string } | undefined)?.id ?? '';
      await billing.subscriptions.cancelSubscriptionChange({ changeId }, ada);
      const intent = paymentsOf(ada.organisation.id)[0] ?? {};
      Object.assign(intent, { status: 'succeeded' });
      for (let time = 0; time < 2; time += 1) await report(eventOf('payment_intent.succeeded', intent));
      const { refunds } = await waitFor(
        async () => {
          const found = await billing.refunds.listRefunds({}, ada);
          return found.refunds[0]?.status === 'SUCCEEDED' ? found : undefined;
        },
        { what: 'the refund' },
      );
      expect(refunds).toMatchObject([
        { invoiceId: null, reason: 'DUPLICATE', amountMinor: String(intent['amount']), creditNoteId: null },
      ]);
      expect(stripe.refunds.filter(({ payment_intent: of }) => of === intent['id'])).toHaveLength(1);
      expect(await billing.subscriptions.getSubscription({}, ada)).toMatchObject({ status: 'FREE' });
      expect((await billing.invoices.listInvoices({}, ada)).invoices).toEqual([]);
    });
  });
}
