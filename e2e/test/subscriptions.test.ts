import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setUpCard } from '../src/cards.ts';
import { send } from '../src/http.ts';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type {
  CreditGrant,
  Invoice,
  Organisation,
  PaymentMethod,
  Subscription,
  SubscriptionPreview,
  TestClock,
} from '../src/resources.ts';

const platform = sharedPlatform();

/** As an operator does. */
const createCoupon = (code: string, ...terms: readonly string[]) =>
  promisify(execFile)('npm', ['run', '-s', 'billing', '--', 'coupons', 'create', code, ...terms], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, PLATFORM_HOME: platform.home },
  });

const change = (owner: Person, seatCount: unknown, tier: unknown) =>
  owner.call<Organisation>('POST', '/organisations/subscription/', {
    body: { seat_count: seatCount, subscription_tier: tier },
  });

describe('a subscription', () => {
  let ada: Person;
  let organisation: Organisation;

  beforeAll(async () => {
    ada = await newPerson(platform, 'Ada');
    organisation = await newOrganisation(ada);
  });

  it('is bought, and the organisation shows it at once', async () => {
    expect(expectOk(await ada.call('GET', '/subscription/'))).toMatchObject({
      status: 'FREE',
      tier: 'BASIC',
      seat_count: 5,
    });
    const answer = expectOk(await change(ada, 3, 'TEAM'));
    expect(answer).toMatchObject({
      id: organisation.id,
      subscription_tier: 'TEAM',
      max_member_limit: 3,
      seats_renewal_enabled: true,
      seats_renewal_cycle: 'MONTHLY',
      has_plan: true,
    });
    expect(expectOk(await ada.call('GET', '/organisations/current/'))).toEqual(answer);
    expect(expectOk(await ada.call<Subscription>('GET', '/subscription/'))).toMatchObject({
      tier: 'TEAM',
      seat_count: 3,
      status: 'ACTIVE',
      pending_tier: null,
      grace_ends_at: null,
      current_period_end: answer.seats_expired_at,
    });
  });

  it('bounds the members, and does not take seats that are taken', async () => {
    const [bob, cy, dan] = [
      await newPerson(platform, 'Bob'),
      await newPerson(platform, 'Cy'),
      await newPerson(platform, 'Dan'),
    ];
    await join(ada, organisation, bob, 'VIEWER');
    await join(ada, organisation, cy, 'ADMIN');
    const body = { email: dan.email, permission_level: 'VIEWER' };
    expect((await ada.call('POST', '/organisations/members/', { body })).status).toBe(409);
    expect(await change(ada, 2, 'TEAM')).toMatchObject({
      status: 409,
      body: { detail: 'There are more active members than seats asked for' },
      headers: { 'x-error-code': 'seats_in_use' },
    });
    expect((await change(cy, 5, 'TEAM')).status).toBe(403);
    expect((await cy.call('GET', '/subscription/')).status).toBe(200);
    expect((await bob.call('GET', '/subscription/')).status).toBe(403);
  });

  it('refuses what is no number of seats or no tier', async () => {
    for (const [seats, tier] of [
      [0, 'TEAM'],
      [10_001, 'TEAM'],
      ['many', 'TEAM'],
      [5, 'GOLD'],
    ]) {
      expect((await change(ada, seats, tier)).status).toBe(422);
    }
  });

  it('waits with a downgrade for the end of the period, and can be cancelled and resumed', async () => {
    expect(expectOk(await change(ada, 3, 'BASIC')).subscription_tier).toBe('TEAM');
    const step = async (path: string) => expectOk(await ada.call<Subscription>('POST', `/subscription/${path}/`));
    expect(expectOk(await ada.call<Subscription>('GET', '/subscription/')).pending_tier).toBe('BASIC');
    expect(await step('cancel')).toMatchObject({ status: 'CANCELING', pending_tier: null });
    expect(await step('cancel')).toMatchObject({ status: 'CANCELING' });
    expect(expectOk(await ada.call<Organisation>('GET', '/organisations/current/')).seats_renewal_enabled).toBe(false);
    expect(await step('resume')).toMatchObject({ status: 'ACTIVE', tier: 'TEAM' });
  });

  it('is refused with 402 when the card is, and paid with another', async () => {
    const failing = await setUpCard(ada, 'pm_card_chargeCustomerFail');
    expect(await change(ada, 4, 'TEAM')).toMatchObject({ status: 402, body: { detail: 'The payment was refused' } });
    expect(expectOk(await ada.call<Organisation>('GET', '/organisations/current/')).max_member_limit).toBe(3);
    const good = await setUpCard(ada, 'pm_card_visa');
    expectOk(await ada.call('POST', `/payment-methods/${good?.id ?? ''}/default/`));
    expect(expectOk(await change(ada, 4, 'TEAM')).max_member_limit).toBe(4);
    const methods = expectOk(await ada.call<PaymentMethod[]>('GET', '/payment-methods/'));
    expect(methods.map(({ id, is_default }) => [id, is_default])).toEqual([
      [good?.id, true],
      [failing?.id, false],
    ]);
    const path = (id = '') => `/payment-methods/${id}/`;
    expect((await ada.call('DELETE', path(good?.id))).status).toBe(409);
    expect(expectOk(await ada.call('DELETE', path(failing?.id)))).toEqual({ id: failing?.id, deleted: true });
    expect((await ada.call('DELETE', path(failing?.id))).status).toBe(404);
  });

  it('has an invoice for everything paid, in JSON and as a PDF', async () => {
    const invoices = expectOk(await ada.call<Invoice[]>('GET', '/invoices/'));
    expect(invoices.length).toBe(2);
    const [latest] = invoices;
    expect(latest).toMatchObject({ status: 'PAID', currency: 'EUR' });
    expect(expectOk(await ada.call('GET', `/invoices/${latest?.id ?? ''}/`))).toEqual(latest);
    const pdf = await ada.call('GET', `/invoices/${latest?.id ?? ''}/pdf/`);
    expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
    const eve = await newPerson(platform, 'Eve');
    await newOrganisation(eve);
    expect((await eve.call('GET', `/invoices/${latest?.id ?? ''}/`)).status).toBe(404);
    expect((await eve.call('GET', `/invoices/${latest?.id ?? ''}/pdf/`)).status).toBe(404);
  });

  it('is taxed by where the organisation is, and a business elsewhere in the EU by itself', async () => {
    const owner = await newPerson(platform, 'Marie');
    await newOrganisation(owner);
    const details = { company_name: 'Curie SARL', address_lines: ['Paris'], vat_id: 'FR41303265045', country: 'FR' };
    expect((await owner.call('PUT', '/billing-details/', { body: details })).status).toBe(422);
    const right = { ...details, vat_id: 'FR40303265045' };
    expect(expectOk(await owner.call('PUT', '/billing-details/', { body: right }))).toMatchObject({
      vat_id_status: 'VALID',
    });
    const preview = expectOk(
      await owner.call<{ token: string }>('GET', '/subscription/preview/?seat_count=2&subscription_tier=TEAM'),
    );
    expect(preview).toMatchObject({ country: 'FR', tax_minor: 0, total_minor: 5800, tax_treatment: 'REVERSE_CHARGE' });
    const end = await owner.call('GET', '/subscription/cancel/preview/');
    expect(end.status).toBe(409);
    expectOk(await change(owner, 2, 'TEAM'));
    const [invoice] = expectOk(await owner.call<Invoice[]>('GET', '/invoices/'));
    expect(invoice).toMatchObject({
      ...{ tax: 0, tax_treatment: 'REVERSE_CHARGE', tax_evidence: { billing_country: 'FR', vat_id: 'FR40303265045' } },
      tax_note: expect.stringContaining('Reverse charge'),
      number: expect.stringMatching(/^INV-\d{4}-\d{6}$/),
    });
    const bought = await owner.call('POST', '/credits/purchases/', { body: { credits: 100, country: 'US' } });
    expect([bought.status, (bought.body as { detail: { loc: string[] }[] }).detail[0]?.loc]).toEqual([
      422,
      ['body', 'country'],
    ]);
    const last = expectOk(await owner.call<{ token: string }>('GET', '/subscription/cancel/preview/'));
    const token = encodeURIComponent(last.token);
    expect(expectOk(await owner.call('POST', `/subscription/cancel/?preview_token=${token}`))).toMatchObject({
      status: 'CANCELING',
    });
  });

  it('is confirmed by its payer where the bank wants that, and its invoice is not paid twice', async () => {
    const owner = await newPerson(platform, 'Edith');
    await newOrganisation(owner);
    await setUpCard(owner, 'pm_card_authenticationRequired');
    const begun = await change(owner, 2, 'TEAM');
    expect([begun.status, begun.body]).toEqual([202, expect.objectContaining({ state: 'REQUIRES_ACTION' })]);
    const location = begun.headers['location'] ?? '';
    const waiting = expectOk(await owner.call<{ client_secret: string }>('GET', location));
    expect(waiting).toMatchObject({ state: 'REQUIRES_ACTION', total_minor: 6902, client_secret: expect.any(String) });
    expect(expectOk(await owner.call('GET', '/subscription/'))).toMatchObject({ status: 'FREE' });
    const body = { client_secret: waiting.client_secret };
    expectOk(await owner.call('POST', '/payment-methods/sandbox/confirm/', { body }));
    expect(expectOk(await owner.call('GET', location))).toMatchObject({ state: 'SUCCEEDED', client_secret: null });
    expect(expectOk(await owner.call('GET', '/subscription/'))).toMatchObject({
      ...{ status: 'ACTIVE', seat_count: 2, next_attempt_at: null, open_invoice_id: null },
    });
    const [invoice, ...others] = expectOk(await owner.call<Invoice[]>('GET', '/invoices/?status=PAID'));
    expect(others).toEqual([]);
    const again = await owner.call('POST', `/invoices/${invoice?.id ?? ''}/pay/`, { body: {} });
    expect(expectOk(again)).toMatchObject({ id: invoice?.id, status: 'PAID', amount_due_minor: 0 });
    const end = await owner.call('POST', `/invoices/${invoice?.id ?? ''}/void/`);
    expect([end.status, end.headers['x-error-code']]).toEqual([409, 'invoice_paid']);
    expect(expectOk(await owner.call('GET', '/invoices/?status=OPEN'))).toEqual([]);
  });

  it('previews what more seats cost for the rest of the period, which the change then takes, and once', async () => {
    const owner = await newPerson(platform, 'Grace');
    await newOrganisation(owner);
    expectOk(await change(owner, 3, 'TEAM'));
    const preview = expectOk(
      await owner.call<SubscriptionPreview>('GET', '/subscription/preview/?seat_count=5&subscription_tier=TEAM'),
    );
    expect(preview).toMatchObject({ changes: true, seat_count: 5, currency: 'EUR' });
    const paid = async () => expectOk(await owner.call<Invoice[]>('GET', '/invoices/'));
    const body = { seat_count: 5, subscription_tier: 'TEAM', preview_token: preview.token };
    expectOk(await owner.call('POST', '/organisations/subscription/', { body }));
    const [newest] = await paid();
    expect(newest?.total_minor).toBe(preview.total_minor);
    const again = await owner.call('POST', '/organisations/subscription/', { body });
    expect([again.status, again.headers['x-error-code']]).toEqual([409, 'preview_outdated']);
    expectOk(await change(owner, 5, 'TEAM'));
    expect(await paid()).toHaveLength(2);
    expect(
      expectOk(await owner.call('GET', '/subscription/preview/?seat_count=5&subscription_tier=TEAM')),
    ).toMatchObject({ changes: false, total: 0 });
  });
});

describe('a year by a test clock', () => {
  const advance = async (owner: Person, days: number): Promise<void> => {
    const { now } = expectOk(await owner.call<TestClock>('GET', '/test-clock/'));
    const to = new Date(Date.parse(now) + days * 86_400_000).toISOString();
    expectOk(await owner.call<TestClock>('POST', '/test-clock/advance/', { body: { to } }));
    await waitFor(
      async () => (expectOk(await owner.call<TestClock>('GET', '/test-clock/')).status === 'READY' ? true : null),
      { what: 'the clock' },
    );
  };

  it('begins with a trial, has a promotion code on its first bill, and brings the credits of the plan with each cycle', async () => {
    const owner = await newPerson(platform, 'Emmy');
    await newOrganisation(owner);
    const subscription = async () => expectOk(await owner.call<Subscription>('GET', '/subscription/'));
    const granted = async () =>
      expectOk(await owner.call<CreditGrant[]>('GET', '/credits/grants/')).filter(({ kind }) => kind === 'PLAN');
    expectOk(await owner.call<TestClock>('POST', '/test-clock/', { body: {} }));
    const asked = '/subscription/preview/?seat_count=2&subscription_tier=TEAM&trial=true';
    const tried = expectOk(await owner.call<SubscriptionPreview>('GET', asked));
    // Two seats at 29.00, with tax, once the trial is over.
    expect(tried).toMatchObject({ total_minor: 0, renewal_total_minor: 6902, trial_ends_at: expect.any(String) });
    const body = { seat_count: 2, subscription_tier: 'TEAM', trial: true, preview_token: tried.token };
    expectOk(await owner.call('POST', '/organisations/subscription/', { body }));
    expect(await subscription()).toMatchObject({ status: 'TRIALING', trial_ends_at: tried.trial_ends_at });
    expect([expectOk(await owner.call('GET', '/invoices/')), await granted()]).toEqual([[], []]);

    const code = `EMMY-${Date.now()}`;
    await createCoupon(code, '--percent', '50');
    const unknown = await owner.call('POST', '/promotion-codes/redeem/', { body: { code: 'NOSUCH' } });
    expect([unknown.status, unknown.headers['x-error-code']]).toEqual([404, 'promotion_code_not_found']);
    expectOk(await owner.call('POST', '/promotion-codes/redeem/', { body: { code: code.toLowerCase() } }));
    const early = await owner.call<SubscriptionPreview>('GET', asked.replace('trial', 'renew'));
    expect(expectOk(early)).toMatchObject({ subtotal_minor: 2900, renewal_total_minor: 6902 });
    const more = { seat_count: 3, subscription_tier: 'TEAM' };
    expectOk(await owner.call('POST', '/organisations/subscription/', { body: more }));

    await advance(owner, 15);
    expect(await subscription()).toMatchObject({ status: 'ACTIVE', seat_count: 3, plan_credits_micros: 60_000_000 });
    const invoices = async () =>
      expectOk(await owner.call<Invoice[]>('GET', '/invoices/')).map((one) => one.total_minor);
    // Half of three seats, with tax.
    expect(await invoices()).toEqual([5177]);
    expect(expectOk(await owner.call<{ state: string }[]>('GET', '/promotion-codes/'))).toMatchObject([
      { code, state: 'USED' },
    ]);
    expect(await granted()).toMatchObject([{ amount_micros: 60_000_000, remaining_micros: 60_000_000 }]);
    const mails = expectOk(await owner.call<{ kind: string }[]>('GET', '/billing-mails/')).map(({ kind }) => kind);
    expect(mails).toContain('TRIAL_ENDING');

    await advance(owner, 31);
    expect(await invoices()).toEqual([10353, 5177]);
    expect((await granted()).map(({ remaining_micros }) => remaining_micros)).toEqual([60_000_000, 0]);
    const again = await owner.call('POST', '/organisations/subscription/', { body: { ...more, trial: true } });
    expect([again.status, again.headers['x-error-code']]).toEqual([409, 'trial_used']);
  });

  it('is renewed month by month, and the clock is gone when it is deleted', async () => {
    const owner = await newPerson(platform, 'Grace');
    await newOrganisation(owner);
    expect((await owner.call('GET', '/test-clock/')).status).toBe(404);
    const created = expectOk(await owner.call<TestClock>('POST', '/test-clock/', { body: { name: 'a year' } }));
    expect((await owner.call('POST', '/test-clock/', { body: {} })).headers['x-error-code']).toBe('test_clock_exists');
    expectOk(await change(owner, 2, 'TEAM'));
    const { current_period_end: firstEnd } = expectOk(await owner.call<Subscription>('GET', '/subscription/'));
    const to = new Date(Date.parse(created.now) + 364 * 86_400_000).toISOString();
    const advanced = expectOk(await owner.call<TestClock>('POST', '/test-clock/advance/', { body: { to } }));
    expect(advanced).toMatchObject({ status: 'ADVANCING', advancing_to: expect.any(String) });
    const clock = await waitFor(
      async () => {
        const known = expectOk(await owner.call<TestClock>('GET', '/test-clock/'));
        return known.status === 'READY' ? known : null;
      },
      { what: 'the end of the year' },
    );
    expect(Date.parse(clock.now)).toBeGreaterThanOrEqual(Date.parse(to));
    expect(expectOk(await owner.call<Invoice[]>('GET', '/invoices/'))).toHaveLength(12);
    const { current_period_end: end } = expectOk(await owner.call<Subscription>('GET', '/subscription/'));
    expect(Date.parse(end)).toBeGreaterThan(Date.parse(firstEnd) + 330 * 86_400_000);
    expect(expectOk(await owner.call('DELETE', '/test-clock/'))).toEqual({ id: created.id, deleted: true });
    expect((await owner.call('GET', '/test-clock/')).status).toBe(404);
  });
});

describe('the way in for reports of a payment processor', () => {
  it('is open to nobody where none is expected', async () => {
    const answer = await send(platform.url, 'POST', '/webhooks/stripe/', { body: { id: 'evt_1' } });
    expect(answer).toMatchObject({ status: 404, body: { detail: 'Not Found' } });
  });
});
