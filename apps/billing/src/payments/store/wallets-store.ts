import { changesIn, columns, type Database, type Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../record-events.ts';
import { paymentMethodNotFound } from '../domain/errors.ts';
import type { PaymentMethod, Wallet } from '../domain/wallet.ts';
import type { Wallets } from '../domain/wallets.ts';

interface CustomerRow {
  organisation_id: string;
  provider: string;
  reference: string;
  created_at: Date;
  last_setup_id: string | null;
  version: string;
}

/** Wallets in PostgreSQL, those of one provider; what was set up at another one stays, out of sight. */
export const walletsStore = (database: Database, provider: string): Wallets => {
  const changes = changesIn(database, recordEvents);
  const load = async (trx: Knex.Transaction, organisationId: string, lock: 'lock' | 'read'): Promise<Wallet | null> => {
    const key = { organisation_id: organisationId, provider };
    const customers = trx<CustomerRow>('payment_customers').where(key);
    const customer = await (lock === 'lock' ? customers.forUpdate() : customers).first();
    if (!customer) return null;
    const methods = await trx('payment_methods')
      .where(key)
      .select<object[]>()
      .orderBy([
        { column: 'created_at', order: 'desc' },
        { column: 'id', order: 'desc' },
      ]);
    return {
      ...{ organisationId, customer: customer.reference, methods: methods.map(methodColumns.read) },
      ...{ lastSetupId: customer.last_setup_id, version: BigInt(customer.version) },
    };
  };

  return {
    get: (organisationId) => database.tenant(organisationId, (trx) => load(trx, organisationId, 'read')),

    open: (organisationId, customer, at) =>
      database.tenant(organisationId, async (trx) => {
        await trx<CustomerRow>('payment_customers')
          .insert({ organisation_id: organisationId, provider, reference: customer, created_at: at })
          .onConflict()
          .ignore();
        const opened = await load(trx, organisationId, 'read');
        return opened ?? { organisationId, customer, methods: [], lastSetupId: null, version: 0n };
      }),

    update: (by, decide) =>
      changes.update(by, decide, {
        load: async (trx) => {
          const wallet = await load(trx, by.organisationId, 'lock');
          if (!wallet) throw paymentMethodNotFound();
          return wallet;
        },
        save: (trx, after, before) => save(trx, before, after, provider),
      }),

    organisationOfCustomer: (customer) =>
      database.system({ 'app.payment_customer': customer }, async (trx) => {
        const row = await trx<CustomerRow>('payment_customers').where({ reference: customer, provider }).first();
        return row?.organisation_id ?? null;
      }),
  };
};

async function save(trx: Knex.Transaction, before: Wallet, after: Wallet, provider: string): Promise<void> {
  const kept = new Set(after.methods.map(({ id }) => id));
  const gone = before.methods.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
  const key = { organisation_id: after.organisationId, provider };
  await trx<CustomerRow>('payment_customers')
    .where(key)
    .update({
      reference: after.customer,
      last_setup_id: after.lastSetupId,
      version: String(before.version + 1n),
    });
  if (gone.length > 0) await trx('payment_methods').where(key).whereIn('id', gone).delete();
  // One default at a time: the former one steps back before the new one is written.
  await trx('payment_methods')
    .where({ ...key, is_default: true })
    .update({ is_default: false });
  const rows = after.methods.map((method) => ({ ...methodColumns.write(method), ...key }));
  if (rows.length > 0) await trx('payment_methods').insert(rows).onConflict('id').merge(['is_default', 'country']);
}

const methodColumns = columns<PaymentMethod>({
  id: 'id',
  reference: 'reference',
  kind: 'kind',
  brand: 'brand',
  lastFour: 'last_four',
  fingerprint: 'fingerprint',
  country: 'country',
  expiryMonth: 'expiry_month',
  expiryYear: 'expiry_year',
  isDefault: 'is_default',
  createdAt: 'created_at',
});
