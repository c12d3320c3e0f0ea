import { serviceActorContext, type ActorContext } from '@platform-backend/core';

/** Billing itself, where a schedule and not a request is the reason. */
export const billingItself = (organisationId: string, requestId: string): ActorContext =>
  serviceActorContext('billing', organisationId, requestId);
