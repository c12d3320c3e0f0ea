import { bigintColumn, columns, type Columns, type Database, type Knex } from '@platform-backend/postgres';
import type { ListedPayment } from '../domain/payment-provider.ts';
import type { SandboxBooks, SandboxPayment, SandboxSetup } from '../domain/sandbox-books.ts';
import { sandboxDisputesStore } from './sandbox-disputes-store.ts';
import { sandboxRefundsStore } from './sandbox-refunds-store.ts';

interface CardRow {
  id: string;
  organisation_id: string;
  card: string;
  attached_at: Date;
  detached_at: Date | null;
}

interface PaymentRow {
  id: string;
  organisation_id: string;
  amount: string;
  currency: string;
  status: string;
  created_at: Date;
}

const setups = columns<SandboxSetup>({ id: 'id', clientSecret: 'client_secret', status: 'status' });

const payments = columns<SandboxPayment>({
  id: 'id',
  clientSecret: 'client_secret',
  card: 'card',
  amount: bigintColumn('amount'),
  currency: 'currency',
  description: 'description',
  status: 'status',
  reason: 'reason',
});

/** The books of the sandbox in PostgreSQL. */
export function sandboxStore(database: Database): SandboxBooks {
  const addOnce =
    <Kept>(table: string, kept: Columns<Kept>) =>
    (organisationId: string, idempotencyKey: string, value: Kept, at: Date): Promise<Kept> =>
      database.tenant(organisationId, async (trx) => {
        const key = { organisation_id: organisationId, idempotency_key: idempotencyKey };
        await trx(table)
          .insert({ ...kept.write(value), ...key, created_at: at })
          .onConflict()
          .ignore();
        return (await find(trx, table, kept, key)) ?? value;
      });

  return {
    ...sandboxRefundsStore(database),
    ...sandboxDisputesStore(database),

    cards: (organisationId) =>
      database.tenant(organisationId, (trx) =>
        trx<CardRow>('sandbox_cards')
          .where({ organisation_id: organisationId, detached_at: null })
          .orderBy('attached_at', 'desc')
          .select('id', 'card'),
      ),

    detach: (organisationId, id, at) =>
      database.tenant(organisationId, async (trx) => {
        await trx<CardRow>('sandbox_cards')
          .where({ organisation_id: organisationId, id, detached_at: null })
          .update({ detached_at: at });
      }),

    addSetup: addOnce('sandbox_setup_intents', setups),
    addPayment: addOnce('sandbox_payments', payments),

    setupOf: (organisationId, clientSecret) =>
      database.tenant(organisationId, (trx) =>
        find(trx, 'sandbox_setup_intents', setups, { organisation_id: organisationId, client_secret: clientSecret }),
      ),

    payment: (organisationId, which) =>
      database.tenant(organisationId, (trx) =>
        find(trx, 'sandbox_payments', payments, {
          organisation_id: organisationId,
          ...('id' in which && { id: which.id }),
          ...('clientSecret' in which && { client_secret: which.clientSecret }),
          ...('idempotencyKey' in which && { idempotency_key: which.idempotencyKey }),
        }),
      ),

    paymentsSince: (since) => paymentsSince(database, since),

    finishSetup: (organisationId, id, card, at) =>
      database.tenant(organisationId, async (trx) => {
        const attached = { ...card, organisation_id: organisationId, attached_at: at };
        await trx<CardRow>('sandbox_cards').insert(attached).onConflict().ignore();
        await trx('sandbox_setup_intents')
          .where({ organisation_id: organisationId, id })
          .update({ status: 'succeeded' });
      }),

    settle: (organisationId, id, { status, reason }) =>
      database.tenant(organisationId, async (trx) => {
        const named = { organisation_id: organisationId, id };
        await trx('sandbox_payments')
          .where({ ...named, status: 'requires_action' })
          .update({ status, reason });
        return find(trx, 'sandbox_payments', payments, named);
      }),
  };
}

async function* paymentsSince(database: Database, since: Date): AsyncGenerator<ListedPayment> {
  const rows = await database.system({ 'app.schedule': 'payments' }, (trx) =>
    trx<PaymentRow>('sandbox_payments').where('created_at', '>=', since).orderBy('created_at'),
  );
  for (const { id: reference, organisation_id: organisationId, amount, currency, status } of rows) {
    yield { reference, paymentId: null, organisationId, amountMinor: BigInt(amount), currency, status };
  }
}

async function find<Kept>(trx: Knex.Transaction, table: string, kept: Columns<Kept>, which: object) {
  const row = await trx(table).where(which).first<object | undefined>();
  return row ? kept.read(row) : null;
}
