import { newId, type ActorContext, type Clock, type Logger, type RoundRobin } from '@platform-backend/core';
import type { CreditBalance } from '../../credits/app/credits.ts';
import { systemActor } from '../../events.ts';
import { dueInTurn, everybody, type ScheduleScope } from '../../test-clocks/domain/schedule-scope.ts';
import { balanceLow, createAlert, deleteAlert, updateAlert, type BalanceAlert } from '../domain/balance-alert.ts';
import type { BalanceAlerts } from '../domain/balance-alerts.ts';

export interface BalanceAlertPorts {
  readonly alerts: BalanceAlerts;
  /** Opens the account where there is none, and takes away what has expired. */
  readonly getCreditBalance: (by: ActorContext) => Promise<CreditBalance>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly turns: RoundRobin;
}

/** What can be done with alerts of the balance. */
export const balanceAlertUseCases = ({ alerts, getCreditBalance, clock }: BalanceAlertPorts) => ({
  listBalanceAlerts: (organisationId: string): Promise<readonly BalanceAlert[]> => alerts.list(organisationId),

  /** CONFLICT: there is one at this threshold, or there are too many. */
  async createBalanceAlert(by: ActorContext, threshold: bigint): Promise<BalanceAlert> {
    await getCreditBalance(by);
    const at = clock.now();
    const wanted = { id: newId(), threshold };
    return alerts.update(by, at, (known, balance) => createAlert(known, wanted, balance, at));
  },

  /** NOT_FOUND: there is none. CONFLICT: there is another one at this threshold. */
  updateBalanceAlert(by: ActorContext, id: string, threshold: bigint): Promise<BalanceAlert> {
    const at = clock.now();
    return alerts.update(by, at, (known, balance) => updateAlert(known, id, threshold, balance, at));
  },

  /** NOT_FOUND: there is none. */
  async deleteBalanceAlert(by: ActorContext, id: string): Promise<string> {
    const at = clock.now();
    return (await alerts.update(by, at, (known) => deleteAlert(known, id, at))).id;
  },
});

export type BalanceAlertUseCases = ReturnType<typeof balanceAlertUseCases>;

/** How many organisations one round takes on. */
const roundSize = 200;

/**
 * One round of telling what has crossed a threshold. That it is told commits together with the event, so it is told once,
 * however many replicas do it and whenever one of them dies. Answers how many were told.
 */
export async function tellCrossings(ports: BalanceAlertPorts, scope: ScheduleScope = everybody): Promise<number> {
  const { alerts, clock, logger, turns } = ports;
  let told = 0;
  const list = (after: string) => alerts.untold(scope, roundSize, after);
  for (const organisationId of await dueInTurn(turns, scope, roundSize, list, String)) {
    const at = clock.now();
    try {
      told += await alerts.tell(systemActor(organisationId, newId()), at, ({ alert, balance }) =>
        balanceLow(alert, balance, at),
      );
    } catch (error) {
      logger.warn(
        { event: 'balance_alert.failed', err: error, organisationId },
        'an alert of a low balance could not be told, it will be tried again',
      );
    }
  }
  return told;
}
