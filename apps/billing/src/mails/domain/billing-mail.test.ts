import { describe, expect, it } from '@jest/globals';
import { billingMailKinds } from '../../events.ts';
import { recordDelivery, setPreferences, takeMail, type BillingMail } from './billing-mail.ts';
import { mailText } from './mail-text.ts';

const at = new Date('2026-04-01T12:00:00Z');
const inMinutes = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
const mail: BillingMail = {
  ...{ id: 'mail_1', kind: 'BALANCE_LOW', data: {}, status: 'PENDING', recipients: [], attempts: 0 },
  ...{ nextAttemptAt: at, sentAt: null, error: null, createdAt: at },
} as const;
const free = { disabled: [], hasTooMany: false };

describe('a mail about billing', () => {
  it('is taken for a while, by one', () => {
    const { mail: taken, isToBeSent } = takeMail(mail, free, at);
    expect([isToBeSent, taken.attempts, taken.nextAttemptAt]).toEqual([true, 1, inMinutes(2)]);
    expect(takeMail(taken, free, inMinutes(1)).isToBeSent).toBe(false);
    expect(takeMail(taken, free, inMinutes(2)).isToBeSent).toBe(true);
  });

  it('is left out where nobody wants it, and waits where there are too many', () => {
    expect(takeMail(mail, { ...free, disabled: ['BALANCE_LOW'] }, at)).toMatchObject({
      isToBeSent: false,
      mail: { status: 'SKIPPED', nextAttemptAt: null },
    });
    expect(takeMail(mail, { ...free, hasTooMany: true }, at)).toMatchObject({
      isToBeSent: false,
      mail: { status: 'PENDING', attempts: 0, nextAttemptAt: inMinutes(60) },
    });
  });

  it('is tried seven times again, and given up at once when it never can be sent', () => {
    const retry = { outcome: 'RETRY', reason: 'busy' } as const;
    let tried = takeMail(mail, free, at).mail;
    let now = at;
    let attempts = 0;
    while (tried.status === 'PENDING') {
      tried = recordDelivery(tried, retry, ['a@b.example'], now);
      attempts += 1;
      if (tried.nextAttemptAt === null) break;
      now = tried.nextAttemptAt;
      tried = takeMail(tried, free, now).mail;
    }
    expect([attempts, tried.status, tried.error, tried.recipients]).toEqual([8, 'FAILED', 'busy', ['a@b.example']]);
    expect(now.getTime() - at.getTime()).toBeGreaterThan(86_400_000);
    const never = { outcome: 'GIVE_UP', reason: 'no such mailbox' } as const;
    expect(recordDelivery(takeMail(mail, free, at).mail, never, [], at).status).toBe('FAILED');
  });

  it('stays sent', () => {
    const sent = recordDelivery(takeMail(mail, free, at).mail, { outcome: 'SENT' }, ['a@b.example'], at);
    expect(sent).toMatchObject({ status: 'SENT', sentAt: at, nextAttemptAt: null });
    expect(recordDelivery(sent, { outcome: 'RETRY', reason: 'late' }, [], inMinutes(9))).toBe(sent);
  });

  it('says what it is about, whatever its kind', () => {
    const data = {
      total_minor: '119',
      currency: 'EUR',
      credits: 500,
      code: 'card_declined',
      number: 'INV-2026-000001',
    };
    for (const kind of billingMailKinds) {
      const { subject, text } = mailText(kind, 'Acme', data);
      expect(subject).toMatch(/^\S.* \(Acme\)$/);
      expect(`${subject} ${text}`).not.toMatch(/undefined|null|NaN|\[object/);
    }
    expect(mailText('TOP_UP_FAILED', 'Acme', data).text).toContain(
      '500 credits for 1.19 EUR could not be paid: card_declined.',
    );
    const trying = { ...data, missing_payment_method: 'CANCEL', trial_ends_at: '2026-04-15T12:00:00.000Z' };
    const trial = mailText('TRIAL_ENDING', 'Acme', trying);
    expect(trial.subject).toBe('Your trial ends on 2026-04-15 (Acme)');
    expect(trial.text).toContain('1.19 EUR will be charged then');
    expect(trial.text).toContain('Where no payment method is set up by then, the subscription ends.');
    const low = { balance_micros: '-1500000', threshold_micros: '10000000' };
    expect(mailText('BALANCE_LOW', 'Acme', low).text).toContain(
      'fallen to -1.5 credits, and you wanted to hear of it at 10 credits',
    );
  });
});

describe('what an organisation wants to hear', () => {
  it('is kept in one order, and the same once more changes nothing', () => {
    const { state, events } = setPreferences('org_1', [], ['TOP_UP_FAILED', 'BALANCE_LOW', 'BALANCE_LOW'], at);
    expect(state).toEqual(['BALANCE_LOW', 'TOP_UP_FAILED']);
    expect(events).toHaveLength(1);
    expect(setPreferences('org_1', state, ['TOP_UP_FAILED', 'BALANCE_LOW'], at)).toMatchObject({ state, events: [] });
  });
});
