import { DomainError, newId, serviceActorContext, type Clock, type Logger } from '@platform-backend/core';
import type { Credits } from '../domain/credits.ts';
import { cullReason, type CullingRules } from '../domain/culling.ts';
import {
  cullKernel,
  culledBecause,
  kernelDied,
  leaseLost,
  minutePaid,
  type CullReason,
  type Kernel,
} from '../domain/kernel.ts';
import type { Kernels } from '../domain/kernels.ts';
import type { RunningKernel, RunningKernels } from './running-kernels.ts';

export interface KernelReaperPorts {
  readonly kernels: Kernels;
  readonly running: RunningKernels;
  readonly credits: Credits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly nodeId: string;
  readonly leaseMs: number;
  readonly culling: CullingRules;
}

/** So many at once, so that a sweep after an outage holds nothing for long. */
const BATCH = 200;
const MINUTE_MS = 60_000;
/** How long a kernel that ended is told of. */
const KEPT_MS = 60 * MINUTE_MS;

const itself = (organisationId: string) => serviceActorContext('notebooks', organisationId, newId());

export type KernelReaper = ReturnType<typeof kernelReaper>;

/** What has to be done about kernels from time to time. */
export function kernelReaper({
  kernels,
  running,
  credits,
  clock,
  logger,
  nodeId,
  leaseMs,
  culling,
}: KernelReaperPorts) {
  const end = async ({ organisationId, kernel }: RunningKernel, reason: string): Promise<void> => {
    await running.shutdown(organisationId, kernel.id, reason).catch((error: unknown) => {
      logger.warn({ event: 'kernel.stop_failed', err: error, kernelId: kernel.id }, 'a kernel could not be ended');
    });
  };

  const cull = async (one: RunningKernel, reason: CullReason): Promise<void> => {
    await kernels.update(itself(one.organisationId), one.kernel.id, (known) => cullKernel(known, reason, clock.now()));
    await end(one, culledBecause[reason]);
  };

  /** Minutes that are paid for, as far as is known here: while no new one has begun nothing is looked up. */
  const knownPaid = new WeakMap<Kernel, number>();

  const payMinutes = async (one: RunningKernel): Promise<void> => {
    const { organisationId } = one;
    const minutes = Math.floor((clock.now().getTime() - one.kernel.startedAt.getTime()) / MINUTE_MS) + 1;
    if ((knownPaid.get(one.kernel) ?? 0) >= minutes) return;
    const kernel = await kernels.get(organisationId, one.kernel.id);
    for (let minute = kernel.paidMinutes; minute < minutes; minute += 1) {
      const payer = { ...itself(organisationId), clientGroupId: kernel.clientGroupId, apiKeyId: kernel.apiKeyId };
      const reserved = await credits.reserveMinute(payer, kernel.id, minute);
      await reserved.settle();
      await kernels.update(payer, kernel.id, (known) => minutePaid(known, minute + 1));
    }
    knownPaid.set(one.kernel, minutes);
  };

  return {
    /** Says that the kernels of this replica live, and ends those that are somebody else's or nobody's by now. */
    async renewLeases(): Promise<void> {
      const mine = running.all();
      const reports = mine.map(({ kernel: { id }, ...report }) => ({ id, ...report }));
      const renewed = await kernels.renew(nodeId, reports, new Date(clock.now().getTime() + leaseMs));
      // Not waited for: one that ends slowly would cost all others their leases.
      for (const one of mine) if (!renewed.has(one.kernel.id)) void end(one, leaseLost);
    },

    /** Ends kernels that nobody uses or that are too old. */
    async cullKernels(): Promise<void> {
      for (const one of running.all()) {
        const reason = cullReason({ ...one, startedAt: one.kernel.startedAt }, culling, clock.now());
        if (reason) await cull(one, reason);
      }
    },

    /** Every minute of a kernel is paid for when it begins. While billing is away it goes on, and is paid for later. */
    async payForMinutes(): Promise<void> {
      for (const one of running.all()) {
        if (one.state === 'starting' || !one.kernel.isCharged) continue;
        try {
          await payMinutes(one).catch((error: unknown) => {
            if (!(error instanceof DomainError && error.kind === 'payment_required')) throw error;
            return cull(one, 'credits');
          });
        } catch (error) {
          logger.warn(
            { event: 'kernel_minute.not_paid', err: error, kernelId: one.kernel.id },
            'a minute of a kernel is not paid for yet',
          );
        }
      }
    },

    /** The kernels of replicas that nobody has heard of are dead. */
    async buryOrphans(): Promise<void> {
      for (const { organisationId, id } of await kernels.overdue(clock.now(), BATCH)) {
        await kernels.update(itself(organisationId), id, (known) =>
          known.leaseUntil > clock.now()
            ? { state: known, events: [], result: known }
            : kernelDied(known, 'replica_lost', clock.now()),
        );
      }
      await kernels.forget(new Date(clock.now().getTime() - KEPT_MS));
    },
  };
}
