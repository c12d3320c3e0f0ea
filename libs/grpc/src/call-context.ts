import type { Caller } from '@platform-backend/auth';
import type { ActorContext, Logger } from '@platform-backend/core';
import { actorOf } from './actor-context.ts';
import { organisationRefusal } from './permission.ts';

/** What a handler knows about its call beside the request message. */
export interface CallContext {
  /** Verified; the only source of who is calling and for which organisation. */
  readonly caller: Caller;
  /** The caller's organisation; throws `forbidden` when the caller acts in none (D13). */
  organisationId(): string;
  /**
   * Who acts, in the organisation of the verified caller and never in one that a message names; a key with the level it
   * has in the area of the operation. Throws as `organisationId` does, and `unauthenticated` when nobody calls.
   */
  actorContext(): ActorContext;
  /** The same in every log line, event and further call that this request causes. */
  readonly requestId: string;
  /** When the caller stops waiting. Clients called with this context never wait for longer. */
  readonly deadline?: Date;
  /** Aborted when the caller hangs up or the deadline passes. */
  readonly signal: AbortSignal;
  /** Carries the request id in every line. */
  readonly logger: Logger;
}

export interface CallFacts {
  caller: Caller;
  /** Of the operation. */
  area: string | undefined;
  requestId: string;
  deadline: Date | undefined;
  signal: AbortSignal;
  logger: Logger;
}

/** The context of one call; its logger is made only when somebody writes to it. */
export function callContext({ caller, area, requestId, deadline, signal, logger }: CallFacts): CallContext {
  let child: Logger | undefined;
  const organisationId = () => {
    if (caller.organisationId === undefined) throw organisationRefusal(caller);
    return caller.organisationId;
  };
  return {
    caller,
    requestId,
    signal,
    ...(deadline && { deadline }),
    organisationId,
    actorContext: () => ({ organisationId: organisationId(), actor: actorOf(caller, area), requestId }),
    get logger() {
      return (child ??= logger.child({ requestId }));
    },
  };
}
