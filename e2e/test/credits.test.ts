import { beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@platform-backend/testing';
import { confirmInSandbox, setUpCard } from '../src/cards.ts';
import { expectOk, join, newOrganisation, newPerson, type Person } from '../src/people.ts';
import { sharedPlatform } from '../src/platform.ts';
import type {
  AutomaticTopUp,
  BalanceAlert,
  BillingMail,
  CreditBalance,
  CreditGrant,
  CreditNote,
  CreditPurchase,
  CreditTransaction,
  Invoice,
  Price,
  Refund,
} from '../src/resources.ts';

const platform = sharedPlatform();
const microsPerCredit = 1_000_000;

const buy = (buyer: Person, body: Record<string, unknown>) =>
  buyer.call<CreditPurchase>('POST', '/credits/purchases/', { body });
const balance = async (reader: Person) => expectOk(await reader.call<CreditBalance>('GET', '/credits/balance/'));
const transactions = async (reader: Person, query = '') =>
  expectOk(await reader.call<CreditTransaction[]>('GET', `/credits/transactions/${query}`));
const purchase = async (reader: Person, id: string) =>
  expectOk(await reader.call<CreditPurchase>('GET', `/credits/purchases/${id}/`));

/** The owner of an organisation that nobody else is in. */
const newOwner = async (name: string): Promise<Person> => {
  const owner = await newPerson(platform, name);
  await newOrganisation(owner);
  return owner;
};

describe('the price of credits', () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await newOwner('Ada');
  });

  it('is shown without a word about what is wanted, and adds up', async () => {
    const { subtotal, tax, total } = expectOk(await ada.call<Price>('GET', '/credits/price-preview/'));
    expect(subtotal).toBeGreaterThan(0);
    expect(Math.round(total * 100)).toBe(Math.round(subtotal * 100) + Math.round(tax * 100));
  });

  it('is that of the purchase that follows', async () => {
    const preview = expectOk(await ada.call<Price>('GET', '/credits/price-preview/?credits=1234'));
    expect(expectOk(await buy(ada, { credits: 1234 }))).toMatchObject(preview);
  });

  it.each(['credits=0', 'credits=10000001', 'credits=many', 'currency=euro', 'country=Germany'])(
    'is refused for %s',
    async (query) => {
      expect((await ada.call('GET', `/credits/price-preview/?${query}`)).status).toBe(422);
    },
  );
});

describe('a purchase of credits', () => {
  let ada: Person;
  let bought: CreditPurchase;

  beforeAll(async () => {
    ada = await newOwner('Ada');
    bought = expectOk(await buy(ada, { credits: 500 }));
  });

  it('adds them to the balance at once', async () => {
    expect(bought).toMatchObject({ status: 'SUCCEEDED', credits: 500, client_secret: null });
    expect(await balance(ada)).toMatchObject({ available_micros: 500 * microsPerCredit, reserved_micros: 0 });
    expect(await purchase(ada, bought.id)).toEqual(bought);
  });

  it('stands in the ledger, among the grants and on an invoice', async () => {
    const [movement] = await transactions(ada);
    expect(movement).toMatchObject({
      kind: 'PURCHASE',
      available_change_micros: 500 * microsPerCredit,
      reserved_change_micros: 0,
      available_after_micros: 500 * microsPerCredit,
    });
    const [grant] = expectOk(await ada.call<CreditGrant[]>('GET', '/credits/grants/'));
    expect(grant).toMatchObject({
      id: movement?.grant_id,
      kind: 'PURCHASE',
      amount_micros: 500 * microsPerCredit,
      remaining_micros: 500 * microsPerCredit,
    });
    const [invoice] = expectOk(await ada.call<Invoice[]>('GET', '/invoices/'));
    expect(invoice).toMatchObject({ status: 'PAID', total: bought.total, currency: bought.currency });
  });

  it('is listed in pages, filtered, and counted when asked', async () => {
    await buy(ada, { credits: 100 });
    const first = await ada.call<CreditTransaction[]>('GET', '/credits/transactions/?limit=1&include_total=true');
    expect(expectOk(first)).toHaveLength(1);
    expect(first.headers['x-total-count']).toBe('2');
    const next = /<([^>]+)>; rel="next"/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    const rest = expectOk(await ada.call<CreditTransaction[]>('GET', next));
    expect([...first.body, ...rest]).toEqual(await transactions(ada));
    expect(await transactions(ada, '?kind=PURCHASE&kind=DEBIT')).toHaveLength(2);
    expect(await transactions(ada, '?kind=DEBIT')).toEqual([]);
    const purchases = expectOk(await ada.call<CreditPurchase[]>('GET', '/credits/purchases/'));
    expect(purchases.map(({ credits }) => credits)).toEqual([100, 500]);
    expect(expectOk(await ada.call('GET', '/credits/purchases/?status=DECLINED'))).toEqual([]);
  });

  it('is for owners; administrators see it, viewers do not, and other organisations know nothing of it', async () => {
    const owner = await newPerson(platform, 'Olga');
    const organisation = await newOrganisation(owner);
    const [admin, viewer, stranger] = [
      await newPerson(platform, 'Al'),
      await newPerson(platform, 'Vi'),
      await newOwner('Eve'),
    ];
    await join(owner, organisation, admin, 'ADMIN');
    await join(owner, organisation, viewer, 'VIEWER');
    const { id } = expectOk(await buy(owner, { credits: 50 }));
    expect((await buy(admin, { credits: 50 })).status).toBe(403);
    expect((await balance(admin)).available_micros).toBe(50 * microsPerCredit);
    expect((await purchase(admin, id)).credits).toBe(50);
    expect((await viewer.call('GET', '/credits/balance/')).status).toBe(403);
    expect((await balance(stranger)).available_micros).toBe(0);
    const foreign = await stranger.call('GET', `/credits/purchases/${id}/`);
    const missing = await stranger.call('GET', '/credits/purchases/01890000-0000-7000-8000-000000000000/');
    expect([foreign.status, foreign.text]).toEqual([404, missing.text]);
  });

  it.each([{ credits: 0 }, { credits: 10_000_001 }, { credits: 'many' }, {}, { credits: 5, country: 'Germany' }])(
    'of %j is refused with 422, and nothing is charged',
    async (body) => {
      const before = expectOk(await ada.call<Invoice[]>('GET', '/invoices/'));
      expect((await buy(ada, body)).status).toBe(422);
      expect(expectOk(await ada.call<Invoice[]>('GET', '/invoices/'))).toEqual(before);
    },
  );
});

describe('a purchase with a card', () => {
  it('that is declined is 402, changes no balance, and says so later', async () => {
    const ada = await newOwner('Ada');
    await setUpCard(ada, 'pm_card_chargeCustomerFail');
    expect(await buy(ada, { credits: 50 })).toMatchObject({ status: 402, body: { detail: 'The payment was refused' } });
    expect((await balance(ada)).available_micros).toBe(0);
    expect(await transactions(ada)).toEqual([]);
    expect(expectOk(await ada.call('GET', '/invoices/'))).toEqual([]);
    expect(expectOk(await ada.call('GET', '/credits/purchases/'))).toMatchObject([{ status: 'DECLINED', credits: 50 }]);
  });

  it('named in the request is charged instead of the default one', async () => {
    const ada = await newOwner('Ada');
    const good = await setUpCard(ada, 'pm_card_visa');
    await setUpCard(ada, 'pm_card_chargeCustomerFail');
    expect(expectOk(await buy(ada, { credits: 50, payment_method_id: good?.id })).status).toBe('SUCCEEDED');
    const unknown = { credits: 50, payment_method_id: '01890000-0000-7000-8000-000000000000' };
    expect(await buy(ada, unknown)).toMatchObject({ status: 404, body: { detail: 'Payment method not found' } });
  });

  it('that wants the payer to confirm waits for that, and then brings the credits once', async () => {
    const ada = await newOwner('Ada');
    await setUpCard(ada, 'pm_card_authenticationRequired');
    const waiting = expectOk(await buy(ada, { credits: 70 }));
    expect(waiting.status).toBe('REQUIRES_ACTION');
    expect((await balance(ada)).available_micros).toBe(0);

    const secret = waiting.client_secret ?? '';
    expect(await confirmInSandbox(ada, secret)).toMatchObject({ status: 'SUCCEEDED' });
    expect(await confirmInSandbox(ada, secret)).toMatchObject({ status: 'SUCCEEDED' });
    expect((await balance(ada)).available_micros).toBe(70 * microsPerCredit);
    expect(await purchase(ada, waiting.id)).toMatchObject({ status: 'SUCCEEDED', client_secret: null });
    expect(await transactions(ada)).toHaveLength(1);
  });
});

describe('credits that are not used', () => {
  it('are given back in parts, with a credit note for each, and the rest stays', async () => {
    const ada = await newOwner('Ada');
    expectOk(await buy(ada, { credits: 1000 }));
    const [invoice] = expectOk(await ada.call<Invoice[]>('GET', '/invoices/'));
    if (!invoice) throw new Error('there is no invoice');
    const paid = Math.round(invoice.total * 100);
    const path = `/invoices/${invoice.id}/refunds/`;
    const half = Math.floor(paid / 2);
    const refund = expectOk(await ada.call<Refund>('POST', path, { body: { amount_minor: half, memo: 'too many' } }));
    expect(refund).toMatchObject({ status: 'SUCCEEDED', amount_minor: half, credit_note_id: expect.any(String) });
    expect((await balance(ada)).available_micros).toBe(1000 * microsPerCredit - refund.credits_micros);
    const note = expectOk(await ada.call<CreditNote>('GET', `/credit-notes/${refund.credit_note_id ?? ''}/`));
    expect(note).toMatchObject({ invoice_number: invoice.number, total_minor: half });
    const pdf = await ada.call('GET', `/credit-notes/${note.id}/pdf/`);
    expect([pdf.status, pdf.headers['content-type'], pdf.text.slice(0, 5)]).toEqual([200, 'application/pdf', '%PDF-']);
    const tooMuch = await ada.call('POST', path, { body: { amount_minor: paid } });
    expect([tooMuch.status, tooMuch.headers['x-error-code']]).toEqual([409, 'refund_too_large']);
    const rest = expectOk(await ada.call<Refund>('POST', path, { body: {} }));
    expect(rest.amount_minor).toBe(paid - half);
    expect((await balance(ada)).available_micros).toBe(0);
    expect((await transactions(ada)).map(({ kind }) => kind)).toEqual(['REFUND', 'REFUND', 'PURCHASE']);
    expect((await ada.call('POST', path, { body: {} })).headers['x-error-code']).toBe('nothing_to_refund');
    const after = expectOk(await ada.call<Invoice>('GET', `/invoices/${invoice.id}/`));
    expect(after.refunded_minor).toBe(paid);
    expect(expectOk(await ada.call<Refund[]>('GET', `/refunds/?invoice_id=${invoice.id}`))).toHaveLength(2);
    expect(expectOk(await ada.call('GET', '/disputes/'))).toEqual([]);
    const eve = await newOwner('Eve');
    expect((await eve.call('POST', path, { body: {} })).status).toBe(404);
    expect((await eve.call('GET', `/credit-notes/${note.id}/pdf/`)).status).toBe(404);
  });
});

describe('what billing keeps', () => {
  it('is exported as CSV and as JSON lines, which show what the lists show', async () => {
    const ada = await newOwner('Ada');
    await buy(ada, { credits: 70 });
    const listed = (await transactions(ada)).toReversed();
    const [csv, jsonl] = await Promise.all(
      ['csv', 'jsonl'].map((format) => ada.call('GET', `/credits/transactions/export/?format=${format}`)),
    );
    expect([csv?.status, csv?.headers['content-type'], csv?.headers['content-disposition']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
      'attachment; filename="credit-transactions.csv"',
    ]);
    const [names = '', ...records] = csv?.text.trimEnd().split('\r\n') ?? [];
    const idAt = names.split(',').indexOf('id');
    expect(records.map((record) => record.split(',')[idAt])).toEqual(listed.map(({ id }) => id));
    const lines =
      jsonl?.text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as CreditTransaction) ?? [];
    expect(lines).toHaveLength(listed.length);
    expect(lines).toMatchObject(
      listed.map(({ id, kind, available_change_micros: change }) => ({ id, kind, available_change_micros: change })),
    );

    const [invoice] = expectOk(await ada.call<Invoice[]>('GET', '/invoices/'));
    const invoices = await ada.call('GET', '/invoices/export/?format=jsonl');
    expect(JSON.parse(invoices.text)).toMatchObject({ number: invoice?.number, status: 'PAID' });
    for (const path of ['/usage/export/', '/credit-notes/export/', '/payments/export/', '/invoices/export/'])
      expect((await ada.call('GET', path)).status).toBe(200);
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(
      (await ada.call('GET', `/invoices/export/?created_after=${later}`)).text.trimEnd().split('\r\n'),
    ).toHaveLength(1);
  });

  it('is exported for administrators', async () => {
    const [ada, vi] = [await newPerson(platform, 'Ada'), await newPerson(platform, 'Vi')];
    await join(ada, await newOrganisation(ada), vi, 'EDITOR');
    expect((await vi.call('GET', '/credits/transactions/export/')).status).toBe(403);
  });
});

describe('credits that run low', () => {
  it('are told of at a threshold, and bought by themselves where somebody wants that', async () => {
    const ada = await newOwner('Ada');
    await setUpCard(ada, 'pm_card_visa');
    expectOk(await buy(ada, { credits: 100 }));
    const path = '/credits/alerts/';
    const threshold = { threshold_micros: 50 * microsPerCredit };
    const alert = expectOk(await ada.call<BalanceAlert>('POST', path, { body: threshold }));
    expect(alert).toMatchObject({ ...threshold, state: 'ARMED', last_crossed_at: null });
    expect((await ada.call('POST', path, { body: threshold })).headers['x-error-code']).toBe('balance_alert_exists');
    const [invoice] = expectOk(await ada.call<Invoice[]>('GET', '/invoices/'));
    expectOk(await ada.call('POST', `/invoices/${invoice?.id ?? ''}/refunds/`, { body: {} }));
    const told = async () => {
      const [known] = expectOk(await ada.call<BalanceAlert[]>('GET', path));
      return known?.last_crossed_at === null ? undefined : known;
    };
    expect(await waitFor(told, { what: 'the alert' })).toMatchObject({ id: alert.id, state: 'LOW' });

    const topUpPath = '/credits/automatic-top-up/';
    const topUp = async () => expectOk(await ada.call<AutomaticTopUp>('GET', topUpPath));
    expect(await topUp()).toMatchObject({ state: 'OFF', credits: null });
    const terms = { ...threshold, credits: 500, monthly_cap_minor: 100_000 };
    expect((await ada.call('PUT', topUpPath, { body: { ...terms, monthly_cap_minor: 60 } })).status).toBe(422);
    expect(expectOk(await ada.call('PUT', topUpPath, { body: terms }))).toMatchObject({ state: 'ACTIVE' });
    const bought = async () => {
      const [newest] = expectOk(await ada.call<CreditPurchase[]>('GET', '/credits/purchases/'));
      return newest?.origin === 'AUTOMATIC_TOP_UP' && newest.status === 'SUCCEEDED' ? newest : undefined;
    };
    const { total } = await waitFor(bought, { what: 'the top-up' });
    expect((await topUp()).spent_this_month_minor).toBe(Math.round(total * 100));
    expect((await balance(ada)).available_micros).toBe(500 * microsPerCredit);

    await setUpCard(ada, 'pm_card_authenticationRequired').then((card) =>
      ada.call('POST', `/payment-methods/${card?.id ?? ''}/default/`),
    );
    expectOk(await ada.call('PUT', topUpPath, { body: { ...terms, threshold_micros: 1_000 * microsPerCredit } }));
    const stopped = async () => ((await topUp()).state === 'STOPPED' ? topUp() : undefined);
    expect(await waitFor(stopped, { what: 'the end of top-up' })).toMatchObject({
      stopped_code: 'authentication_required',
    });
    const mailed = async () => {
      const mails = expectOk(await ada.call<BillingMail[]>('GET', '/billing-mails/'));
      const sent = new Set(mails.flatMap(({ kind, status }) => (status === 'SENT' ? [kind] : [])));
      return ['BALANCE_LOW', 'INVOICE_ISSUED', 'TOP_UP_SUCCEEDED', 'TOP_UP_FAILED'].every((kind) => sent.has(kind));
    };
    await waitFor(mailed, { what: 'the mails' });
    const preferences = { disabled: ['BALANCE_LOW'] };
    const preferred = await ada.call('PUT', '/billing-mails/preferences/', { body: preferences });
    expect(expectOk(preferred)).toEqual(preferences);
    expect(expectOk(await ada.call('GET', '/billing-mails/preferences/'))).toEqual(preferences);
    expect(expectOk(await ada.call('DELETE', topUpPath))).toMatchObject({ state: 'OFF' });
    expect((await ada.call('DELETE', `${path}${alert.id}/`)).status).toBe(200);
    expect(expectOk(await ada.call('GET', path))).toEqual([]);
  });
});
