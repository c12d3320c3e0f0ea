import type { ActorContext } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import type { CreditClass } from '../../credits/domain/reservation.ts';
import { recordEvents } from '../../record-events.ts';
import type { PolicyOfGroup, PolicyPeriod } from '../domain/client-policy.ts';
import { dueAlerts, nothingNotified, type PeriodUsage, type NotifiedThresholds } from '../domain/quota.ts';

interface PeriodRow {
  organisation_id: string;
  client_group_id: string;
  starts_on: string;
  requests_told: number;
  ai_credits_told: number;
  infrastructure_credits_told: number;
}

const keyOf = (organisationId: string, clientGroupId: string, { startsOn }: PolicyPeriod) => ({
  organisation_id: organisationId,
  client_group_id: clientGroupId,
  starts_on: startsOn,
});

/** Locks the row of a period, and makes it first if there is none. */
export async function lockPeriod(
  trx: Knex.Transaction,
  organisationId: string,
  clientGroupId: string,
  period: PolicyPeriod,
): Promise<void> {
  const key = keyOf(organisationId, clientGroupId, period);
  const fresh = { requests_told: 0, ai_credits_told: 0, infrastructure_credits_told: 0 };
  await trx('quota_periods')
    .insert({ ...key, ...fresh })
    .onConflict()
    .ignore();
  await trx('quota_periods').where(key).forNoKeyUpdate().first();
}

/** What was used, as far as it was reported. */
export async function usageOfPeriod(
  trx: Knex.Transaction,
  organisationId: string,
  clientGroupId: string,
  period: PolicyPeriod,
): Promise<PeriodUsage> {
  const { rows } = await trx.raw<{ rows: [{ requests: string; ai: string; infrastructure: string }] }>(
    `SELECT coalesce(sum(requests), 0) AS requests, coalesce(sum(ai_credits_micros), 0) AS ai,
            coalesce(sum(infrastructure_credits_micros), 0) AS infrastructure
     FROM usage_days
     WHERE organisation_id = :organisationId AND client_group_id = :clientGroupId
       AND day >= :startsOn AND day < :endsOn`,
    { organisationId, clientGroupId, startsOn: period.startsOn, endsOn: period.endsOn },
  );
  const [{ requests, ai, infrastructure }] = rows;
  return { requests: BigInt(requests), aiCredits: BigInt(ai), infrastructureCredits: BigInt(infrastructure) };
}

/**
 * With the requests that gateways have leased and may still let through, and what open reservations may still spend.
 * It counts as used where requests are handed out: nobody else can have it.
 */
export async function withPromised(
  trx: Knex.Transaction,
  organisationId: string,
  clientGroupId: string,
  period: PolicyPeriod,
  usage: PeriodUsage,
): Promise<PeriodUsage> {
  const [leases] = await trx('quota_leases')
    .where({ organisation_id: organisationId, client_group_id: clientGroupId, used: null })
    .where('period_starts_on', period.startsOn)
    .sum<{ granted: string | null }[]>({ granted: 'granted' });
  const { rows } = await trx.raw<{ rows: { class: CreditClass; micros: string }[] }>(
    `SELECT credit_class AS class, sum(amount_micros) AS micros FROM credit_reservations
     WHERE organisation_id = ? AND client_group_id = ? AND status = 'OPEN' GROUP BY credit_class`,
    [organisationId, clientGroupId],
  );
  const reserved = (wanted: CreditClass) => BigInt(rows.find((row) => row.class === wanted)?.micros ?? 0);
  return {
    requests: usage.requests + BigInt(leases?.granted ?? 0),
    aiCredits: usage.aiCredits + reserved('AI'),
    infrastructureCredits: usage.infrastructureCredits + reserved('INFRASTRUCTURE'),
  };
}

/** Tells members once a period that half, four fifths and all of a limit are used. */
export async function alertMembers(
  trx: Knex.Transaction,
  by: ActorContext,
  group: PolicyOfGroup & { readonly period: PolicyPeriod },
  usage: PeriodUsage,
  at: Date,
): Promise<void> {
  if (!group.policy) return;
  const key = keyOf(by.organisationId, group.clientGroupId, group.period);
  if (dueAlerts(group, usage, nothingNotified, at).events.length === 0) return;
  await lockPeriod(trx, by.organisationId, group.clientGroupId, group.period);
  const row = await trx<PeriodRow>('quota_periods').where(key).first();
  const { events, told } = dueAlerts(group, usage, row ? toldOf(row) : nothingNotified, at);
  if (events.length === 0) return;
  await trx('quota_periods').where(key).update({
    requests_told: told.requests,
    ai_credits_told: told.ai_credits,
    infrastructure_credits_told: told.infrastructure_credits,
  });
  await recordEvents(trx, by, events);
}

const toldOf = (row: PeriodRow): NotifiedThresholds => ({
  requests: row.requests_told,
  ai_credits: row.ai_credits_told,
  infrastructure_credits: row.infrastructure_credits_told,
});
