import type { Database, Knex } from '@platform-backend/postgres';
import { earliest } from '../../test-clocks/domain/schedule-scope.ts';
import { firstDueAt, inScope } from '../../test-clocks/store/in-scope.ts';
import type { SubscriptionChange } from '../domain/subscription-change.ts';
import { renewalNoticeMs, trialNoticeMs } from '../domain/subscription-events.ts';
import type { Subscription } from '../domain/subscription.ts';
import type { Subscriptions } from '../domain/subscriptions.ts';

export interface SubscriptionRow {
  organisation_id: string;
  status: Subscription['status'];
  period_end: Date;
  trial_ends_at: Date | null;
  unpaid_change_id: string | null;
  next_action_at: Date | null;
  /** When the next cycle of the paid period begins, with which credits come. */
  plan_credits_at: Date | null;
  /** The renewal of which members were told that it is near. */
  renewal_told_of: Date | null;
}

export interface SubscriptionChangeRow {
  id: string;
  organisation_id: string;
  state: SubscriptionChange['state'];
  lease_until: Date;
  finished_at: Date | null;
}

/** Shows the schedule which organisations to look at, and nothing that could be changed. */
const schedule = { 'app.schedule': 'subscriptions' };

type DueSubscriptions = Pick<Subscriptions, 'due' | 'renewingSoon' | 'planCreditsDue' | 'abandoned' | 'firstDueAt'>;

/** What the schedule has to look at, of all organisations. */
export const dueSubscriptionsStore = (database: Database): DueSubscriptions => ({
  due: (at, scope, limit, after) =>
    database.system(schedule, async (trx) => {
      const rows = await inScope(trx<SubscriptionRow>('subscriptions'), scope, 'subscriptions.organisation_id')
        .where('next_action_at', '<=', at)
        .whereNotExists(openChangeOfIt(trx))
        .orderByRaw('organisation_id <= ?, organisation_id', [after])
        .limit(limit)
        .select('organisation_id');
      return rows.map(({ organisation_id: organisationId }) => organisationId);
    }),

  renewingSoon: (at, scope, limit, after) =>
    database.system(schedule, (trx) =>
      untold(inScope(trx<SubscriptionRow>('subscriptions'), scope), at)
        .where('next_action_at', '>', at)
        .orderByRaw('organisation_id <= ?, organisation_id', [after])
        .limit(limit)
        .pluck('organisation_id'),
    ),

  planCreditsDue: (at, scope, limit, after) =>
    database.system(schedule, (trx) =>
      inScope(trx<SubscriptionRow>('subscriptions'), scope)
        .where('plan_credits_at', '<=', at)
        .orderByRaw('organisation_id <= ?, organisation_id', [after])
        .limit(limit)
        .pluck('organisation_id'),
    ),

  abandoned: (at, scope, limit) =>
    database.system(schedule, async (trx) => {
      const rows = await inScope(trx<SubscriptionChangeRow>('subscription_changes'), scope)
        .whereNot('state', 'done')
        .where('lease_until', '<=', at)
        .orderBy('lease_until')
        .limit(limit)
        .select('organisation_id', 'id');
      return rows.map(({ organisation_id: organisationId, id }) => ({ organisationId, changeId: id }));
    }),

  firstDueAt: (scope) =>
    database.system(schedule, async (trx) => {
      const withoutChange = trx('subscriptions').whereNotExists(openChangeOfIt(trx));
      return earliest(
        await firstDueAt(withoutChange, scope, 'next_action_at'),
        await firstDueAt(trx('subscriptions'), scope, 'plan_credits_at'),
        await firstDueAt(trx('subscription_changes').whereNot('state', 'done'), scope, 'lease_until'),
      );
    }),
});

/** Of a subscription of a query: a change of it that is not done. */
const openChangeOfIt = (trx: Knex.Transaction) =>
  trx('subscription_changes')
    .whereRaw('subscription_changes.organisation_id = subscriptions.organisation_id')
    .whereNot('state', 'done');

/** Of these, those of whose next renewal it is time to tell and was not told: some days ahead, fewer where a trial ends. */
export const untold = <Query extends Knex.QueryBuilder>(query: Query, at: Date): Query => {
  void query
    .where({ status: 'ACTIVE' })
    .whereRaw('next_action_at <= CASE WHEN trial_ends_at = period_end THEN ?::timestamptz ELSE ?::timestamptz END', [
      new Date(at.getTime() + trialNoticeMs),
      new Date(at.getTime() + renewalNoticeMs),
    ])
    .whereRaw('renewal_told_of IS DISTINCT FROM next_action_at');
  return query;
};
