import type { ActorContext, Decision } from '@platform-backend/core';
import type { Decide, NotebooksEvent } from '../../events.ts';
import type { Kernel, KernelUse } from './kernel.ts';
import type { Session } from './session.ts';

/** What the replica of a kernel says of it again and again. */
export interface KernelReport extends Pick<Kernel, 'id' | 'state' | 'lastActivity' | 'connections'> {
  readonly organisationId: string;
}

export interface OverdueKernel extends Pick<Kernel, 'id' | 'leaseUntil'> {
  readonly organisationId: string;
}

/**
 * What is known of kernels, in whichever replica they live. Every change commits together with its events. NOT_FOUND: no
 * such kernel, or somebody has stopped it.
 */
export interface Kernels {
  /** The kernels of an organisation are added one after the other. */
  readonly add: (
    by: ActorContext,
    since: Date,
    decide: (use: KernelUse) => Decision<Kernel, NotebooksEvent>,
  ) => Promise<Kernel>;
  /** As `add`, for one that is there already. Answers what was decided. */
  readonly revive: (
    by: ActorContext,
    kernelId: string,
    since: Date,
    decide: (kernel: Kernel, use: KernelUse) => Decision<Kernel, NotebooksEvent, Kernel | undefined>,
  ) => Promise<Kernel | undefined>;
  readonly get: (organisationId: string, kernelId: string) => Promise<Kernel>;
  /** Those that nobody has stopped, oldest first: the dead among them, for an hour. */
  readonly list: (organisationId: string, notebookId?: string) => Promise<readonly Kernel[]>;
  readonly update: (by: ActorContext, kernelId: string, decide: Decide<Kernel>) => Promise<Kernel>;
  /** As `update`, and the session is as it is given: both or neither. NOT_FOUND also: no such session. */
  readonly replace: (by: ActorContext, kernelId: string, session: Session, decide: Decide<Kernel>) => Promise<Kernel>;
  /** Answers the ids of those that are alive and this replica's; whatever else it has belongs to nobody. */
  readonly renew: (nodeId: string, reports: readonly KernelReport[], leaseMs: number) => Promise<ReadonlySet<string>>;
  /** Whose lease ran out, by the clock by which they are all written: that of where they are kept. */
  readonly overdue: (limit: number) => Promise<readonly OverdueKernel[]>;
  /** In how many milliseconds the first lease runs out, by the same clock; undefined: there is none. */
  readonly untilOverdue: () => Promise<number | undefined>;
  /** How many kernels of all organisations and replicas are in each state, of those that have not ended. */
  readonly counts: () => Promise<readonly { readonly state: Kernel['state']; readonly kernels: number }[]>;
  /** Forgets kernels that ended before. */
  readonly forget: (endedBefore: Date) => Promise<void>;
}
