import type { Caller } from '@platform/auth';
import type { Logger } from '@platform/core';

/** What a handler knows about its call beside the request message. */
export interface CallContext {
  /** Verified; the only source of who is calling and for which organisation. */
  readonly caller: Caller;
  /** The caller's organisation; throws `forbidden` ("No organisation") when there is none (D13). */
  organisationId(): string;
  /** The same in every log line, event and further call that this request causes. */
  readonly requestId: string;
  /** When the caller stops waiting. Clients called with this context never wait for longer. */
  readonly deadline?: Date;
  /** Aborted when the caller hangs up or the deadline passes. */
  readonly signal: AbortSignal;
  /** Carries the request id in every line. */
  readonly logger: Logger;
}
