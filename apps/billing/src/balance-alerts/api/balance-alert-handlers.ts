import type { BalanceAlertInput, BalanceAlertServiceHandlers } from '@platform-backend/contract-billing';
import { listAnswer, type CallContext } from '@platform-backend/grpc';
import { pageOfAll } from '../../payments/api/page-of-all.ts';
import type { BalanceAlertUseCases } from '../app/balance-alerts.ts';
import type { BalanceAlert } from '../domain/balance-alert.ts';

export const balanceAlertHandlers = (app: BalanceAlertUseCases): BalanceAlertServiceHandlers<CallContext> => ({
  async listBalanceAlerts(request, context) {
    const alerts = await app.listBalanceAlerts(context.organisationId());
    return listAnswer('alerts', pageOfAll(alerts, request), alertMessage);
  },

  async createBalanceAlert({ thresholdMicros }, context) {
    return alertMessage(await app.createBalanceAlert(context.actorContext(), BigInt(thresholdMicros)));
  },

  async updateBalanceAlert({ alertId, thresholdMicros }, context) {
    return alertMessage(await app.updateBalanceAlert(context.actorContext(), alertId, BigInt(thresholdMicros)));
  },

  async deleteBalanceAlert({ alertId }, context) {
    return { id: await app.deleteBalanceAlert(context.actorContext(), alertId), deleted: true };
  },
});

const alertMessage = ({ id, createdAt, threshold, isLow, lastCrossedAt }: BalanceAlert): BalanceAlertInput => ({
  id,
  createdAt,
  thresholdMicros: String(threshold),
  state: isLow ? 'LOW' : 'ARMED',
  lastCrossedAt,
});
