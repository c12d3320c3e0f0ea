import { serviceActorContext, type ActorContext } from '@platform-backend/core';

/** Pipelines itself, where a schedule or an engine and not a request is the reason. */
export const pipelinesItself = (organisationId: string, requestId: string): ActorContext =>
  serviceActorContext('pipelines', organisationId, requestId);
