import { declareError } from '@platform-backend/core';

export const balanceAlertNotFound = declareError('not_found', 'balance_alert_not_found', 'Balance alert not found');
export const balanceAlertExists = declareError(
  'conflict',
  'balance_alert_exists',
  'There is an alert at this threshold already',
);
export const tooManyBalanceAlerts = declareError(
  'conflict',
  'too_many_balance_alerts',
  'An organisation can have {max} balance alerts: delete one first',
);
