import { declareError } from '@platform-backend/core';

export const trialUsed = declareError(
  'conflict',
  'trial_used',
  'A trial is for organisations that have never bought anything, once',
);
export const trialNotOffered = declareError('conflict', 'trial_not_offered', 'There is no trial of this plan');
export const noTrialRuns = declareError('conflict', 'no_trial_runs', 'There is no trial that runs');
export const trialEndsEarlier = declareError(
  'conflict',
  'trial_ends_earlier',
  'A trial is extended to a later time than {endsAt}',
);
export const trialWhileSubscribed = declareError(
  'conflict',
  'trial_while_subscribed',
  'A trial is given to who has no subscription that runs or is past due',
);
export const seatsInUse = declareError(
  'conflict',
  'seats_in_use',
  'There are more active members than seats asked for',
);
export const organisationNotFound = declareError('not_found', 'organisation_not_found', 'Organisation not found');
export const nothingToCancel = declareError(
  'conflict',
  'nothing_to_cancel',
  'There is no running subscription to cancel',
);
export const subscriptionEnded = declareError(
  'conflict',
  'subscription_ended',
  'There is no running subscription to resume',
);
export const paidFarAhead = declareError(
  'conflict',
  'paid_far_ahead',
  'A subscription can be paid for at most {years} years ahead',
);
export const changeNotFound = declareError('not_found', 'change_not_found', 'Change not found');
export const changeNotPaidYet = declareError(
  'accepted',
  'change_not_paid_yet',
  'It is not known yet whether this change is paid: it goes on by itself',
  5,
);
export const renewedAsItIs = declareError(
  'conflict',
  'renewed_as_it_is',
  'A subscription is renewed with the tier, seats and cycle that it has: change it first, or leave renew out',
);
export const subscriptionChangeRunning = declareError(
  'conflict',
  'subscription_change_running',
  'Another change of the subscription is running',
  5,
);
