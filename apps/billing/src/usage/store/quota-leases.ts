import type { ActorContext } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import { daysAfter } from '../../credits/domain/days-after.ts';
import type { CreditClass } from '../../credits/domain/reservation.ts';
import { startOfDay } from '../domain/days.ts';
import { grantQuota, type QuotaState } from '../domain/quota.ts';
import type { QuotaLease, LeaseInput } from '../domain/usage.ts';
import { alertMembers, lockPeriod, usageOfPeriod, withPromised } from './quota-periods.ts';
import { addUsage, NO_GROUP, type CountedRequests } from './usage-day-rows.ts';

interface LeaseRow {
  organisation_id: string;
  id: string;
  client_group_id: string;
  api_key_id: string;
  granted: number;
  used: number | null;
  answer: {
    state: QuotaState;
    message: string;
    requestLimit: string | null;
    requestsRemaining: string | null;
    resetsAt: string | null;
    /** Leases from before it was said have none. */
    exhausted?: readonly CreditClass[];
  };
  created_at: Date;
  expires_at: Date;
}

/** Hands out requests under the lock of the group's period. A lease that is known is answered as it was. */
export async function grantLease(
  trx: Knex.Transaction,
  by: ActorContext,
  wanted: LeaseInput,
  at: Date,
): Promise<QuotaLease> {
  const { organisationId } = by;
  const { group, period } = wanted;
  await lockPeriod(trx, organisationId, group.clientGroupId, period);
  const known = await trx<LeaseRow>('quota_leases').where({ organisation_id: organisationId, id: wanted.id }).first();
  if (known) return leaseOfRow(known);
  const usage = await usageOfPeriod(trx, organisationId, group.clientGroupId, period);
  const spokenFor = group.policy ? await withPromised(trx, organisationId, group.clientGroupId, period, usage) : usage;
  const grant = grantQuota(group.policy, spokenFor, wanted.requested);
  const lease: QuotaLease = {
    ...grant,
    id: wanted.id,
    clientGroupId: group.clientGroupId,
    expiresAt: wanted.expiresAt,
    resetsAt: group.policy && startOfDay(period.endsOn),
  };
  await trx('quota_leases').insert({
    organisation_id: organisationId,
    id: lease.id,
    client_group_id: group.clientGroupId,
    api_key_id: wanted.apiKeyId ?? NO_GROUP,
    period_starts_on: period.startsOn,
    granted: lease.granted,
    used: lease.granted === 0 ? 0 : null,
    answer: JSON.stringify({
      state: lease.state,
      message: lease.message,
      requestLimit: lease.requestLimit?.toString() ?? null,
      requestsRemaining: lease.requestsRemaining?.toString() ?? null,
      resetsAt: lease.resetsAt,
      exhausted: lease.exhausted,
    }),
    created_at: at,
    expires_at: lease.expiresAt,
  });
  await alertMembers(trx, by, { ...group, period }, usage, at);
  return lease;
}

/** Closes a lease with what was used of it; what is left is free again. Repeating it is safe. */
export async function giveBack(
  trx: Knex.Transaction,
  organisationId: string,
  { id, used }: { readonly id: string; readonly used: number },
): Promise<void> {
  const [row] = await trx<LeaseRow>('quota_leases')
    .where({ organisation_id: organisationId, id, used: null })
    .update({ used: trx.raw('least(granted, ?)', [used]) })
    .returning('*');
  if (row) await addUsage(trx, organisationId, countedLeases([row]));
}

/** Who has not said by a day later how much was used has used all of it: a limit is never passed. */
export async function closeLapsedLeases(
  trx: Knex.Transaction,
  organisationId: string,
  clientGroupId: string,
  at: Date,
): Promise<void> {
  const rows = await trx<LeaseRow>('quota_leases')
    .where({ organisation_id: organisationId, client_group_id: clientGroupId, used: null })
    .where('expires_at', '<', daysAfter(at, -1))
    .update({ used: trx.raw('granted') })
    .returning('*');
  await addUsage(trx, organisationId, countedLeases(rows));
}

/** Closed leases are kept as long as a gateway may ask for one again whose answer was lost. */
const closedKeptDays = 1;

export async function forgetClosedLeases(
  trx: Knex.Transaction,
  organisationId: string,
  clientGroupId: string,
  at: Date,
): Promise<void> {
  await trx('quota_leases')
    .where({ organisation_id: organisationId, client_group_id: clientGroupId })
    .whereNotNull('used')
    .where('created_at', '<', daysAfter(at, -1 - closedKeptDays))
    .delete();
}

/** Counted on the day of the lease, so that it stays in the period it was granted in. */
const countedLeases = (rows: readonly LeaseRow[]): CountedRequests[] =>
  rows
    .filter(({ used }) => used !== null && used > 0)
    .map((row) => ({
      occurredAt: row.created_at,
      clientGroupId: row.client_group_id,
      apiKeyId: row.api_key_id,
      requests: BigInt(row.used ?? 0),
    }));

const leaseOfRow = ({ answer, ...row }: LeaseRow): QuotaLease => ({
  id: row.id,
  clientGroupId: row.client_group_id,
  granted: row.granted,
  expiresAt: row.expires_at,
  state: answer.state,
  message: answer.message,
  requestLimit: answer.requestLimit === null ? null : BigInt(answer.requestLimit),
  requestsRemaining: answer.requestsRemaining === null ? null : BigInt(answer.requestsRemaining),
  resetsAt: answer.resetsAt === null ? null : new Date(answer.resetsAt),
  exhausted: answer.exhausted ?? [],
});

/** Forgets what is leased to the gateways of an organisation that is gone. */
export async function removeOpenLeases(trx: Knex.Transaction, organisationId: string): Promise<void> {
  await trx('quota_leases').where({ organisation_id: organisationId, used: null }).delete();
}
