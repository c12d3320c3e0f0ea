import { changesIn, columns, jsonColumn, listPage, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../record-events.ts';
import type { BillingMail, DisabledMails } from '../domain/billing-mail.ts';
import type { BillingMails, DueMail } from '../domain/billing-mails.ts';

interface MailRow {
  id: string;
  organisation_id: string;
  status: string;
  sent_at: Date | null;
  created_at: Date;
}

const mailColumns = columns<BillingMail>({
  id: 'id',
  kind: 'kind',
  data: jsonColumn('data'),
  status: 'status',
  recipients: jsonColumn('recipients'),
  attempts: 'attempts',
  nextAttemptAt: 'next_attempt_at',
  sentAt: 'sent_at',
  error: 'error',
  createdAt: 'created_at',
});

/** Shows the schedule what is to be sent, and nothing that could be changed. */
const schedule = { 'app.schedule': 'billing_mails' };

/** Mails in PostgreSQL; `recordEvents` writes them down. */
export const billingMailsStore = (database: Database): BillingMails => {
  const changes = changesIn(database, recordEvents);
  return {
    list: (organisationId, page) =>
      database.tenant(organisationId, (trx) => {
        const all = trx('billing_mails').where({ organisation_id: organisationId });
        return listPage(all as Knex.QueryBuilder<object, MailRow[]>, page, {
          order: 'desc',
          read: (rows) => rows.map(mailColumns.read),
        });
      }),

    due: (at, limit) =>
      database.system(schedule, async (trx) => {
        const { rows } = await trx.raw<{ rows: DueMail[] }>(
          `SELECT organisation_id AS "organisationId", id FROM (
             SELECT organisation_id, id, row_number() OVER (PARTITION BY organisation_id ORDER BY id) AS turn
             FROM billing_mails WHERE status = 'PENDING' AND next_attempt_at <= ?) AS waiting
           ORDER BY turn, id LIMIT ?`,
          [at, limit],
        );
        return rows;
      }),

    take: (name, since, decide) =>
      database.tenant(name.organisationId, async (trx) => {
        const row = await named(trx, name).forUpdate().skipLocked().first();
        if (!row) return null;
        const before = mailColumns.read(row);
        const [sent] = await trx<MailRow>('billing_mails')
          .where({ organisation_id: name.organisationId, status: 'SENT' })
          .where('sent_at', '>', since)
          .count<{ count: string }[]>();
        const { mail, result } = decide(before, await preferences(trx, name.organisationId), Number(sent?.count ?? 0));
        if (mail !== before) await named(trx, name).update(mailColumns.write(mail));
        return result;
      }),

    update: (name, decide) =>
      database.tenant(name.organisationId, async (trx) => {
        const row = await named(trx, name).forUpdate().first();
        if (!row) throw new Error(`the mail ${name.id} is gone`);
        const before = mailColumns.read(row);
        const after = decide(before);
        if (after !== before) await named(trx, name).update(mailColumns.write(after));
        return after;
      }),

    removeOver: (before, limit) =>
      database.system({ 'app.sweep': 'billing_mails' }, async (trx) => {
        const over = trx<MailRow>('billing_mails')
          .whereNot('status', 'PENDING')
          .where('created_at', '<', before)
          .orderBy('created_at')
          .limit(limit)
          .select('id');
        return trx<MailRow>('billing_mails').whereIn('id', over).delete();
      }),

    preferences: (organisationId) => database.tenant(organisationId, (trx) => preferences(trx, organisationId)),

    setPreferences: (by, decide) =>
      changes.update(by, decide, {
        load: (trx) => preferences(trx, by.organisationId),
        save: (trx, disabled) =>
          trx('billing_mail_preferences')
            .insert({ organisation_id: by.organisationId, disabled: JSON.stringify(disabled) })
            .onConflict('organisation_id')
            .merge(),
      }),
  };
};

const named = (trx: Knex.Transaction, { organisationId, id }: DueMail) =>
  trx<MailRow>('billing_mails').where({ organisation_id: organisationId, id });

async function preferences(trx: Knex.Transaction, organisationId: string): Promise<DisabledMails> {
  const row = await trx<{ organisation_id: string; disabled: DisabledMails }>('billing_mail_preferences')
    .where({ organisation_id: organisationId })
    .first();
  return row?.disabled ?? [];
}
