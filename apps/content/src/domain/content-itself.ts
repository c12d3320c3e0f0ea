import { serviceActorContext, type ActorContext } from '@platform-backend/core';

/** This service on its own authority: sweeps, queues and what follows from events. */
export const contentItself = (organisationId: string, requestId: string): ActorContext =>
  serviceActorContext('content', organisationId, requestId);
