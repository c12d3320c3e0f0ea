import {
  DomainError,
  leaseJudge,
  newId,
  serviceActorContext,
  unchanged,
  type Clock,
  type Logger,
} from '@platform-backend/core';
import type { Credits, Reservation } from '../domain/credits.ts';
import { cullReason, type CullingRules } from '../domain/culling.ts';
import {
  countMinutes,
  cullKernel,
  cullMessages,
  isAlive,
  kernelDied,
  leaseLost,
  minutesBegun,
  type CullReason,
  type Kernel,
} from '../domain/kernel.ts';
import type { Kernels } from '../domain/kernels.ts';
import { minuteDebits, payerOfKernel } from './minute-debits.ts';
import type { RunningKernel, RunningKernels } from './running-kernels.ts';

export interface KernelReaperPorts {
  readonly kernels: Kernels;
  readonly running: RunningKernels;
  readonly credits: Credits;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each kernel that is dead because its replica was not heard of. */
  readonly leaseMissed: () => void;
  readonly nodeId: string;
  readonly leaseMs: number;
  readonly culling: CullingRules;
  /** For how long a kernel runs on for whose minutes nothing can be set aside, since billing is away. */
  readonly unreservedMs: number;
}

/** So many at once, so that a sweep after an outage holds nothing for long. */
const BATCH = 200;
const MINUTE_MS = 60_000;
/** How long a kernel that ended is told of. */
const KEPT_MS = 60 * MINUTE_MS;

const systemActor = (organisationId: string) => serviceActorContext('notebooks', organisationId, newId());

/** What has to be done about kernels from time to time. */
export function kernelReaper({
  kernels,
  running,
  credits,
  clock,
  logger,
  leaseMissed,
  nodeId,
  leaseMs,
  culling,
  unreservedMs,
}: KernelReaperPorts) {
  const judge = leaseJudge(leaseMs, () => clock.now().getTime());

  const end = async ({ organisationId, kernel }: RunningKernel, reason: string): Promise<void> => {
    // Begun again meanwhile, which has ended this one.
    if (running.find(kernel.id)?.kernel !== kernel) return;
    await running.shutdown(organisationId, kernel.id, reason).catch((error: unknown) => {
      logger.warn({ event: 'kernel.stop_failed', err: error, kernelId: kernel.id }, 'a kernel could not be ended');
    });
  };

  const cull = async (one: RunningKernel, reason: CullReason): Promise<void> => {
    const { organisationId, kernel } = one;
    const debits = minuteDebits(credits, organisationId);
    await kernels.update(systemActor(organisationId), kernel.id, (known) =>
      cullKernel(known, reason, clock.now(), debits),
    );
    await end(one, cullMessages[reason]);
  };

  /** Minutes that are counted, as far as is known here, the one of its start among them: while no new one has begun nothing is looked up. */
  const knownCounted = new WeakMap<Kernel, number>();
  /** Since when nothing could be set aside. */
  const unreservedSince = new WeakMap<Kernel, Date>();

  const count = async (
    { organisationId, kernel }: RunningKernel,
    minutes: number,
    reservation?: Reservation,
  ): Promise<void> => {
    const debits = minuteDebits(credits, organisationId, { minute: minutes - 1, reservation });
    await kernels.update(systemActor(organisationId), kernel.id, (known) => countMinutes(known, minutes, debits));
    knownCounted.set(kernel, minutes);
  };

  /**
   * Counts the minutes of a kernel that have begun; those before the last one were missed, as while the database was away.
   * They are owed whether anything could be set aside or not.
   */
  const countBegun = async (one: RunningKernel): Promise<void> => {
    const { organisationId, kernel } = one;
    const minutes = minutesBegun(kernel, clock.now());
    if ((knownCounted.get(kernel) ?? kernel.billedMinutes + 1) >= minutes) return;
    let reservation: Reservation | undefined;
    try {
      reservation = await credits.reserveMinute(payerOfKernel(organisationId, kernel));
      unreservedSince.delete(kernel);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'payment_required') {
        if (minutes > 1) await count(one, minutes - 1);
        await cull(one, 'credits');
        return;
      }
      const since = unreservedSince.get(kernel) ?? clock.now();
      unreservedSince.set(kernel, since);
      logger.warn(
        { event: 'kernel_minute.not_reserved', err: error, kernelId: kernel.id },
        'nothing could be set aside for a minute of a kernel, which is owed all the same',
      );
      if (clock.now().getTime() - since.getTime() >= unreservedMs) {
        await cull(one, 'unreserved');
        return;
      }
    }
    try {
      await count(one, minutes, reservation);
    } catch (error) {
      await reservation?.release();
      throw error;
    }
  };

  /** A kernel whose lease has run out lived when it was renewed for the last time. */
  const lastHeard = ({ startedAt, leaseUntil }: Kernel) => ({
    at: clock.now(),
    lastHeardAt: new Date(Math.max(startedAt.getTime(), leaseUntil.getTime() - leaseMs)),
  });

  return {
    /** Says that the kernels of this replica live, and ends those that are somebody else's or nobody's by now. */
    async renewLeases(): Promise<void> {
      const mine = running.all();
      const reports = mine.map(({ kernel: { id }, ...report }) => ({ id, ...report }));
      const renewed = await kernels.renew(nodeId, reports, leaseMs);
      judge.renewed();
      // Not waited for: one that ends slowly would cost all others their leases.
      for (const one of mine) if (!renewed.has(one.kernel.id)) void end(one, leaseLost);
    },

    /** Ends kernels that nobody uses or that are too old. */
    async cullKernels(): Promise<void> {
      for (const one of running.all()) {
        const reason = cullReason(one, culling, clock.now());
        if (reason) await cull(one, reason);
      }
    },

    /** Every minute of a kernel is owed when it begins. */
    async countMinutes(): Promise<void> {
      for (const one of running.all()) {
        if (one.state === 'starting' || !one.kernel.isCharged) continue;
        await countBegun(one).catch((error: unknown) =>
          logger.warn(
            { event: 'kernel_minute.not_counted', err: error, kernelId: one.kernel.id },
            'a minute of a kernel is not counted yet',
          ),
        );
      }
    },

    /** The kernels of replicas that nobody has heard of are dead, where this replica could have been heard of all the time. */
    async reapOrphans(): Promise<void> {
      const overdue = judge.mayJudge() ? await kernels.overdue(BATCH) : [];
      const missed = new Set<string>();
      for (const { organisationId, id, leaseUntil } of overdue) {
        await kernels.update(systemActor(organisationId), id, (known) => {
          // Else its replica has been heard of since, or it has ended in another way.
          if (!isAlive(known) || known.leaseUntil > leaseUntil) return unchanged(known);
          missed.add(id);
          return kernelDied(known, 'replica_lost', lastHeard(known), minuteDebits(credits, organisationId));
        });
        if (missed.has(id)) leaseMissed();
      }
      await kernels.forget(new Date(clock.now().getTime() - KEPT_MS));
    },
  };
}
