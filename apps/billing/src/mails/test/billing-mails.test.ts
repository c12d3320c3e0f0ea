import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { fixedClock } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { Mail, MailDelivery } from '@platform-backend/mail';
import { dyingAt, sidesOfSteps, wasKilled } from '../../../test/crash-test-parts.ts';
import { startRealIdentity, type Founder, type RealIdentity } from '../../../test/real-identity.ts';
import { micros, startTestBilling, type TestBilling } from '../../../test/test-billing.ts';
import { billingAreas } from '../../areas.ts';
import { tellCrossings } from '../../balance-alerts/app/balance-alerts.ts';
import { workOnSchedule } from '../../subscriptions/app/work-on-schedule.ts';
import { removeOldMails, sendBillingMails, type BillingMailPorts } from '../app/billing-mails.ts';

const clock = fixedClock('2026-04-01T12:00:00.000Z');
const logger = createLogger({ service: 'test', level: 'silent' });
const minute = 60_000;
type Caller = Founder['caller'];

let identity: RealIdentity;
let billing: TestBilling;
let areas: Awaited<ReturnType<typeof billingAreas>>;
let sent: Mail[] = [];
let answer: () => MailDelivery;

beforeAll(async () => {
  identity = await startRealIdentity();
  const environment = {
    IDENTITY_ADDRESS: identity.process.address,
    // Its own schedule never runs here: each test is the schedule.
    BILLING_SCHEDULE_SECONDS: '3600',
    BILLING_MAILS_PER_DAY: '5',
  };
  billing = await startTestBilling({ clock, environment });
  areas = await billingAreas(billing.frame);
});
afterAll(async () => {
  await billing.stop();
  await identity.stop();
});

const ports = (more: Partial<BillingMailPorts> = {}): BillingMailPorts => ({
  ...areas.mails.exports.ports,
  send: (mail) => {
    sent.push(mail);
    return Promise.resolve(answer());
  },
  logger,
  ...more,
});
async function send(more: Partial<BillingMailPorts> = {}): Promise<Mail[]> {
  sent = [];
  answer = () => ({ outcome: 'SENT' });
  await sendBillingMails(ports(more), new AbortController().signal);
  return sent;
}
const mailsOf = async (caller: Caller) => (await billing.mails.listBillingMails({}, { caller })).mails;
/** Makes a mail: the balance of an organisation falls to an alert. */
async function runLow({ organisation, caller }: Founder): Promise<void> {
  await billing.grant(organisation.id, 2);
  const { availableMicros } = await billing.credits.getCreditBalance({}, { caller });
  const thresholdMicros = String(BigInt(availableMicros) - BigInt(micros(1)));
  const { id: alertId } = await billing.alerts.createBalanceAlert({ thresholdMicros }, { caller });
  await billing.book(organisation.id, 1);
  await tellCrossings(areas.balanceAlerts.exports.ports);
  await billing.alerts.deleteBalanceAlert({ alertId }, { caller });
}

describe('mails about billing', () => {
  it('go to the administrators, or to the address of the billing details', async () => {
    const founder = await identity.found();
    const { organisation, caller } = founder;
    await runLow(founder);
    const [first] = await send();
    expect(first?.to).toMatchObject([{ email: expect.stringContaining('@') }]);
    expect(first).toMatchObject({ subject: expect.stringContaining(organisation.name) });
    const details = { companyName: 'Acme', addressLines: [], vatId: '', email: 'bills@acme.example' };
    await billing.invoices.setBillingDetails(details, { caller });
    await runLow(founder);
    const [second] = await send();
    expect(second?.to).toEqual([{ name: 'Acme', email: 'bills@acme.example' }]);
    expect(await mailsOf(caller)).toMatchObject([
      { kind: 'BALANCE_LOW', status: 'SENT', recipients: ['bills@acme.example'] },
      { kind: 'BALANCE_LOW', status: 'SENT' },
    ]);
    expect(await send()).toEqual([]);
  });

  it('carry an invoice as PDF, and tell of a renewal that is near, once', async () => {
    const { caller } = await identity.found();
    await billing.subscriptions.changeSubscription({ seatCount: 2, subscriptionTier: 'TEAM' }, { caller });
    const [invoice] = await send();
    expect(invoice?.subject).toMatch(/^Invoice INV-/);
    expect(invoice?.attachments?.[0]?.content.subarray(0, 5).toString()).toBe('%PDF-');
    const onSchedule = () => workOnSchedule(areas.subscriptions.exports.ports, logger);
    clock.advance(22 * 24 * 60 * minute);
    await onSchedule();
    expect(await send()).toEqual([]);
    clock.advance(2 * 24 * 60 * minute);
    await Promise.all([onSchedule(), onSchedule()]);
    expect((await send()).map(({ subject }) => subject)).toEqual([
      expect.stringContaining('Your subscription renews on 2026-05-01'),
    ]);
    await onSchedule();
    expect(await send()).toEqual([]);
  });

  it('tell of no renewal that was paid in advance meanwhile, and of the next one in time', async () => {
    const { caller } = await identity.found();
    const plan = { seatCount: 2, subscriptionTier: 'TEAM' } as const;
    await billing.subscriptions.changeSubscription(plan, { caller });
    const { ports } = areas.subscriptions.exports;
    const { subscriptions } = ports;
    const paidMeanwhile: typeof subscriptions = {
      ...subscriptions,
      renewingSoon: async (...asked) => {
        const soon = await subscriptions.renewingSoon(...asked);
        await billing.subscriptions.changeSubscription({ ...plan, renew: true }, { caller });
        return soon;
      },
    };
    const until = async (days: number, more: object = {}) => {
      clock.advance(days * 24 * 60 * minute);
      await workOnSchedule({ ...ports, ...more }, logger);
      await send();
      return (await mailsOf(caller)).map(({ kind }) => kind);
    };
    expect(await until(24, { subscriptions: paidMeanwhile })).toEqual(['INVOICE_ISSUED', 'INVOICE_ISSUED']);
    expect(await until(30)).toEqual(['RENEWAL_UPCOMING', 'INVOICE_ISSUED', 'INVOICE_ISSUED']);
  });

  it('are left out where an organisation does without them', async () => {
    const founder = await identity.found();
    const { caller } = founder;
    await billing.mails.setBillingMailPreferences({ disabled: ['BALANCE_LOW'] }, { caller });
    await runLow(founder);
    expect(await send()).toEqual([]);
    expect(await mailsOf(caller)).toMatchObject([{ kind: 'BALANCE_LOW', status: 'SKIPPED' }]);
  });

  it('take turns, and no organisation gets more than so many in a day', async () => {
    const [many, one] = [await identity.found(), await identity.found()];
    for (let mails = 0; mails < 12; mails += 1) await runLow(many);
    await runLow(one);
    const due = await areas.mails.exports.ports.mails.due(clock.now(), 2);
    expect(new Set(due.map(({ organisationId }) => organisationId)).size).toBe(2);
    await send();
    const states = (await mailsOf(many.caller)).map(({ status }) => status).sort();
    expect(states.filter((status) => status === 'SENT').length).toBeLessThanOrEqual(5 + 3);
    expect(states).toContain('PENDING');
    for (let day = 0; day < 3; day += 1) {
      clock.advance(25 * 60 * minute);
      await send();
    }
    expect((await mailsOf(many.caller)).every(({ status }) => status === 'SENT')).toBe(true);
  });

  it('are tried again when the server cannot take them now, with the same id', async () => {
    const founder = await identity.found();
    const { caller } = founder;
    await runLow(founder);
    const refuse = (mail: Mail): Promise<MailDelivery> => {
      sent.push(mail);
      return Promise.resolve({ outcome: 'RETRY', reason: 'The mail server answered 451' });
    };
    const [first] = await send({ send: refuse });
    expect(await mailsOf(caller)).toMatchObject([{ status: 'PENDING', error: 'The mail server answered 451' }]);
    expect(await send()).toEqual([]);
    clock.advance(minute);
    const [second] = await send();
    expect(second?.id).toBe(first?.id);
  });

  it('are not sent again because it could not be written down at once that they were', async () => {
    const founder = await identity.found();
    await runLow(founder);
    const { mails } = ports();
    let lost = 0;
    const update: typeof mails.update = (...given) =>
      (lost += 1) <= 2 ? Promise.reject(new Error('the connection was cut')) : mails.update(...given);
    expect(await send({ mails: { ...mails, update } })).toHaveLength(1);
    clock.advance(3 * minute);
    expect(await send()).toEqual([]);
    expect(await mailsOf(founder.caller)).toMatchObject([{ status: 'SENT' }]);
  });

  it('are kept for a year, those that wait until they are over', async () => {
    const founder = await identity.found();
    await runLow(founder);
    await send();
    const year = 366 * 24 * 60 * minute;
    clock.advance(year - minute);
    await runLow(founder);
    await removeOldMails(ports());
    expect(await mailsOf(founder.caller)).toHaveLength(2);
    clock.advance(2 * minute);
    expect(await removeOldMails(ports())).toBeGreaterThan(0);
    expect(await mailsOf(founder.caller)).toMatchObject([{ status: 'PENDING' }]);
    clock.advance(year);
    await removeOldMails(ports());
    expect(await mailsOf(founder.caller)).toMatchObject([{ status: 'PENDING' }]);
    await send();
  });

  it('go out at least once whichever step a process dies at, and once when none does', async () => {
    for (let step = 1; step <= 3; step += 1) {
      for (const when of sidesOfSteps()) {
        const founder = await identity.found();
        await runLow(founder);
        const crashing = dyingAt(step, when);
        const { mails } = ports();
        const { post } = crashing({ post: ports().send });
        await wasKilled(send({ mails: crashing(mails), send: post }));
        const early = sent.length;
        clock.advance(3 * minute);
        const late = await Promise.all([send(), sendBillingMails(ports(), new AbortController().signal)]);
        expect(early + late[0].length).toBeGreaterThanOrEqual(1);
        expect(early + late[0].length).toBeLessThanOrEqual(2);
        expect(await mailsOf(founder.caller)).toMatchObject([{ status: 'SENT' }]);
      }
    }
  });
});
