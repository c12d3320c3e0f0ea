import type { ActorContext } from '@platform-backend/core';
import type { Database, Knex } from '@platform-backend/postgres';
import { isUsedUp, returnRedemption, useRedemption } from '../../coupons/store/coupons-store.ts';
import { givePlanCredits, takeGranted, type TakenBack } from '../../credits/store/plan-credits.ts';
import type { InvoiceTerms } from '../../invoices/domain/invoice.ts';
import {
  closeOpenInvoice,
  invoiceIdOf,
  retryInvoiceAt,
  saveInvoice,
  saveOpenInvoice,
} from '../../invoices/store/invoice-rows.ts';
import { recordEvents } from '../../record-events.ts';
import { earliest } from '../../test-clocks/domain/schedule-scope.ts';
import { subscriptionChangeRunning } from '../domain/errors.ts';
import { awaitsPayment } from '../domain/pay-unpaid.ts';
import { creditsOfChange, creditsOfCycleAt, type PlanCredits, type PlanCreditsDue } from '../domain/plan-credits.ts';
import {
  draftOfChange,
  endsAtCheck,
  endsWithTrial,
  sourceOfChange,
  subscriptionAfter,
  type SubscriptionChange,
} from '../domain/subscription-change.ts';
import { eventsOf, renewalToldAt } from '../domain/subscription-events.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { BeginChange, Subscriptions } from '../domain/subscriptions.ts';
import {
  dueSubscriptionsStore,
  untold,
  type SubscriptionChangeRow,
  type SubscriptionRow,
} from './due-subscriptions.ts';
import { changeOfRow, progressColumns, rowOfChange, subscriptionColumns } from './subscription-columns.ts';

/** What is taken back of credits of a plan as they come, since money was given back for them before. */
export type TakenAtOnce = (
  trx: Knex.Transaction,
  by: ActorContext,
  credits: PlanCredits,
) => Promise<readonly TakenBack[]>;

/** Subscriptions in PostgreSQL; what is paid for one gets an invoice on these terms. */
export const subscriptionsStore = (
  database: Database,
  invoiceTerms: InvoiceTerms,
  takenAtOnce: TakenAtOnce,
): Subscriptions => ({
  ...dueSubscriptionsStore(database),

  get: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const row = await subscriptions(trx, organisationId).first();
      return row ? subscriptionColumns.read(row) : null;
    }),

  change: (organisationId, id) =>
    database.tenant(organisationId, async (trx) => {
      const row = await changes(trx, { organisationId, id }).first();
      return row ? changeOfRow(row) : null;
    }),

  openInvoice: ({ organisationId, changeId }) =>
    database.tenant(
      organisationId,
      async (trx) => (await invoiceIdOf(trx, organisationId, sourceOfChange(changeId))) ?? null,
    ),

  tryNow: (organisationId, at) =>
    database.tenant(organisationId, async (trx) => {
      const pastDue = subscriptions(trx, organisationId).where({ status: 'PAST_DUE' }).where('next_action_at', '>', at);
      const [row] = await pastDue
        .update({ next_action_at: at })
        .returning<{ unpaid_change_id: string | null }[]>('unpaid_change_id');
      const unpaid = row?.unpaid_change_id ?? null;
      if (unpaid === null) return;
      await retryInvoiceAt(trx, organisationId, sourceOfChange(unpaid), at);
    }),

  isChanging: (organisationId) =>
    database.tenant(organisationId, async (trx) => (await openChange(trx, organisationId)) !== undefined),

  begin: (by, decide) => beginChange(database, by, decide),

  beginUnlessBusy: (by, decide) =>
    database.tenant(by.organisationId, async (trx) => {
      const row = await subscriptions(trx, by.organisationId).forUpdate().skipLocked().first();
      if (!row || (await openChange(trx, by.organisationId))) return null;
      return beginWith(trx, by, row, decide);
    }),

  advance: (change) =>
    database.tenant(change.organisationId, async (trx) => {
      const stored = await loadChange(trx, change);
      if (steps.indexOf(stored.state) >= steps.indexOf(change.state)) return stored;
      const leaseUntil = new Date(Math.max(change.leaseUntil.getTime(), stored.leaseUntil.getTime()));
      await changes(trx, change).update({ ...progressColumns.write(change), lease_until: leaseUntil });
      return { ...change, leaseUntil };
    }),

  finish: (change, at) =>
    database.tenant(change.organisationId, async (trx) => {
      const stored = await loadChange(trx, change);
      if (stored.state === 'done' || (endsAtCheck(change) && stored.state !== 'checking')) return stored;
      await changes(trx, change).update({ ...progressColumns.write(change), finished_at: at });
      const after = subscriptionAfter(change);
      const by = actorContextOf(change);
      // What is due by then goes by the plan that there was.
      await giveDue(trx, by, at, takenAtOnce);
      if (after && after !== change.before) await saveSubscription(trx, change.organisationId, after);
      if (after && change.outcome !== null)
        await bring(trx, by, change.id, creditsOfChange(change, after, at), at, takenAtOnce);
      await recordEvents(trx, by, eventsOf(change, at));
      // Also where the renewal was refused: what its open invoice says can still be paid.
      const isSold =
        change.outcome === 'accepted' ||
        (change.outcome === 'payment_refused' && change.ifRefused !== null && !endsWithTrial(change));
      if (isSold && change.redemptionId !== null) {
        await useRedemption(trx, change.organisationId, change.redemptionId, at);
      }
      await saveInvoiceOfChange(trx, by, { change, after, at }, invoiceTerms);
      return change;
    }),

  tellRenewal: (by, at, tell) =>
    database.tenant(by.organisationId, async (trx) => {
      const row = await untold(subscriptions(trx, by.organisationId), at).forUpdate().skipLocked().first();
      if (!row?.next_action_at) return false;
      await recordEvents(trx, by, [tell(subscriptionColumns.read(row), row.next_action_at)]);
      await subscriptions(trx, by.organisationId).update({ renewal_told_of: row.next_action_at });
      return true;
    }),

  givePlanCredits: (by, at) => database.tenant(by.organisationId, (trx) => giveDue(trx, by, at, takenAtOnce)),

  nextDueAt: (organisationId) =>
    database.tenant(organisationId, async (trx) => {
      const change = await openChange(trx, organisationId);
      const row = await subscriptions(trx, organisationId).first();
      // A change that is open comes first.
      const ofPlan = change ? change.lease_until : row && renewalLookedAt(row);
      return earliest(ofPlan ?? null, row?.plan_credits_at ?? null);
    }),

  takeOver: ({ organisationId, changeId }, at, leaseUntil) =>
    database.tenant(organisationId, async (trx) => {
      const row = await trx<SubscriptionChangeRow>('subscription_changes')
        .where({ organisation_id: organisationId, id: changeId })
        .whereNot('state', 'done')
        .where('lease_until', '<=', at)
        .forUpdate()
        .skipLocked()
        .first();
      if (!row) return null;
      await trx('subscription_changes').where({ id: changeId }).update({ lease_until: leaseUntil });
      return { ...changeOfRow(row), leaseUntil };
    }),

  giveBack: (change, retryAt) =>
    database.tenant(change.organisationId, async (trx) => {
      await changes(trx, change).whereNot('state', 'done').update({ lease_until: retryAt });
    }),
});

/** When the schedule has to look at the renewal or tell of it; null: there is none. */
function renewalLookedAt(row: SubscriptionRow): Date | null {
  if (!row.next_action_at) return null;
  const isTold = row.status !== 'ACTIVE' || row.renewal_told_of?.getTime() === row.next_action_at.getTime();
  return isTold ? row.next_action_at : renewalToldAt(subscriptionColumns.read(row), row.next_action_at);
}

/** Gives the credits of a cycle that has begun since; false: none has. That they are given commits with them: once for each cycle. */
async function giveDue(trx: Knex.Transaction, by: ActorContext, at: Date, takenAtOnce: TakenAtOnce): Promise<boolean> {
  const row = await subscriptions(trx, by.organisationId).where('plan_credits_at', '<=', at).forUpdate().first();
  if (!row) return false;
  const subscription = subscriptionColumns.read(row);
  await bring(trx, by, subscription.id, creditsOfCycleAt(subscription, at), at, takenAtOnce);
  return true;
}

/** Gives and takes what comes with a plan, and writes down when more of it does. */
async function bring(
  trx: Knex.Transaction,
  by: ActorContext,
  reason: string,
  { granted, takenBack, nextAt }: PlanCreditsDue,
  at: Date,
  takenAtOnce: TakenAtOnce,
): Promise<void> {
  for (const credits of granted) {
    await givePlanCredits(trx, by, credits, () => takenAtOnce(trx, by, credits), at);
  }
  if (takenBack) await takeGranted(trx, by, { ...takenBack, purpose: `plan_change:${reason}` }, at);
  await subscriptions(trx, by.organisationId).update({ plan_credits_at: nextAt });
}

/** As `begin` of the store. */
export const beginChange = (
  database: Database,
  by: ActorContext,
  decide: BeginChange,
): Promise<SubscriptionChange | null> =>
  database.tenant(by.organisationId, async (trx) => {
    const row = await subscriptions(trx, by.organisationId).forUpdate().first();
    if (await openChange(trx, by.organisationId)) throw subscriptionChangeRunning();
    return beginWith(trx, by, row, decide);
  });

/** What the end of a change means for invoices: its own, and the open one of a renewal that was refused before. */
async function saveInvoiceOfChange(
  trx: Knex.Transaction,
  by: ActorContext,
  {
    change,
    after,
    at,
  }: { readonly change: SubscriptionChange; readonly after: Subscription | null; readonly at: Date },
  terms: InvoiceTerms,
): Promise<void> {
  const { outcome, before, bill, ifRefused, paysInvoiceOf } = change;
  const unpaid = before?.unpaidChangeId ?? null;
  if (endsWithTrial(change)) return;
  if (outcome === 'payment_refused' && (ifRefused !== null || paysInvoiceOf !== null)) {
    await saveOpenInvoice(trx, by, draftOfChange(change), at, terms, after?.nextActionAt ?? null);
    return;
  }
  const isOver = outcome === 'accepted' || outcome === 'organisation_gone';
  if (isOver && unpaid !== null) {
    const isPaid = outcome === 'accepted' && paysInvoiceOf === unpaid;
    if (!isPaid) await returnCouponOf(trx, change.organisationId, unpaid);
    await closeOpenInvoice(trx, by, sourceOfChange(unpaid), isPaid ? 'PAID' : 'VOID', at);
  }
  if (outcome === 'accepted' && bill.lines.length > 0 && paysInvoiceOf === null) {
    await saveInvoice(trx, by, draftOfChange(change), at, terms);
  }
}

/** What a refused renewal was to cost less by, as it never comes about. */
async function returnCouponOf(trx: Knex.Transaction, organisationId: string, id: string): Promise<void> {
  const { redemptionId } = await loadChange(trx, { organisationId, id });
  if (redemptionId !== null) await returnRedemption(trx, organisationId, redemptionId);
}

/** In the order in which a change passes through them. */
const steps: readonly SubscriptionChange['state'][] = ['checking', 'charging', 'applying', 'done'];

/** Two requests that come at once: one begins, the other hears this. */
const subscriptions = (trx: Knex.Transaction, organisationId: string) =>
  trx<SubscriptionRow>('subscriptions').where({ organisation_id: organisationId });

const changes = (trx: Knex.Transaction, { organisationId, id }: Pick<SubscriptionChange, 'organisationId' | 'id'>) =>
  trx<SubscriptionChangeRow>('subscription_changes').where({
    organisation_id: organisationId,
    id,
  });

const openChange = (trx: Knex.Transaction, organisationId: string) =>
  trx<SubscriptionChangeRow>('subscription_changes')
    .where({ organisation_id: organisationId })
    .whereNot('state', 'done')
    .first('id', 'lease_until');

async function loadChange(
  trx: Knex.Transaction,
  change: Pick<SubscriptionChange, 'organisationId' | 'id'>,
): Promise<SubscriptionChange> {
  const row = await changes(trx, change).forUpdate().first();
  if (!row) throw new Error(`the subscription change ${change.id} is gone`);
  return changeOfRow(row);
}

/** A first change locks no row: the unique index on open changes lets one of two through. */
async function beginWith(
  trx: Knex.Transaction,
  by: ActorContext,
  row: SubscriptionRow | undefined,
  decide: BeginChange,
): Promise<SubscriptionChange | null> {
  const [latest] = await trx('subscription_changes')
    .where({ organisation_id: by.organisationId })
    .max<{ version: string | null }[]>({ version: 'final_version' });
  const organisationId = by.organisationId;
  const current = row ? subscriptionColumns.read(row) : null;
  const unpaidId = current && awaitsPayment(current) ? current.unpaidChangeId : null;
  const unpaid = unpaidId === null ? null : await changes(trx, { organisationId, id: unpaidId }).first();
  const change = decide(current, BigInt(latest?.version ?? 0), unpaid ? changeOfRow(unpaid) : null);
  if (!change) return null;
  // Terms were asked for before the lock: what is for one cycle may have been used for another one since.
  const { redemptionId } = change;
  if (redemptionId !== null && (await isUsedUp(trx, organisationId, redemptionId))) throw subscriptionChangeRunning();
  await trx('subscription_changes').insert(rowOfChange(change));
  return change;
}

async function saveSubscription(
  trx: Knex.Transaction,
  organisationId: string,
  subscription: NonNullable<SubscriptionChange['before']>,
): Promise<void> {
  await trx('subscriptions')
    .insert({ organisation_id: organisationId, ...subscriptionColumns.write(subscription) })
    .onConflict('organisation_id')
    .merge();
}

const actorContextOf = ({ organisationId, startedBy, requestId }: SubscriptionChange): ActorContext => ({
  organisationId,
  actor: startedBy,
  requestId,
});
