import type { ActorContext } from '@platform-backend/core';
import type { Knex } from '@platform-backend/postgres';
import { recordEvents } from '../../record-events.ts';
import { stopTopUp, type AutomaticTopUp } from '../domain/automatic-top-up.ts';
import { load, of, thresholdOf, topUpColumns } from './automatic-top-up-rows.ts';

/** Why credits are taken back. */
export interface TakenBackFor {
  readonly code: 'payment_refunded' | 'payment_disputed';
  /** It stops also where the balance is not low: whoever disputes a payment shall not be charged by a schedule. */
  readonly always: boolean;
}

/** Has a top-up wait until the end of a transaction that takes credits back; to be called before it moves the account. */
export const lockTopUp = (trx: Knex.Transaction, organisationId: string): Promise<AutomaticTopUp | null> =>
  load(of(trx, organisationId).forUpdate());

/** Stops a locked top-up where a low balance is due to what was taken back, so that it does not buy again what somebody wanted no more. */
export async function stopAfterTakingBack(
  trx: Knex.Transaction,
  by: ActorContext,
  locked: AutomaticTopUp | null,
  { code, always }: TakenBackFor,
  at: Date,
): Promise<void> {
  if (locked?.state !== 'ACTIVE' && locked?.state !== 'CAP_REACHED') return;
  const { organisationId } = by;
  const threshold = (await thresholdOf(trx, organisationId).first()) as { is_low: boolean } | undefined;
  if (!always && threshold?.is_low !== true) return;
  const { state, events } = stopTopUp(locked, code, organisationId, at);
  await of(trx, organisationId).update(topUpColumns.write(state));
  await thresholdOf(trx, organisationId).update({ crossing_id: null, crossing_balance_micros: null });
  await recordEvents(trx, by, events);
}
