import { leaseJudge, unavailable } from '@platform-backend/core';
import { kernelSpecNotFound } from '../../domain/errors.ts';
import type { KernelProvider, KernelSpec } from '../../domain/kernel-provider.ts';
import type { RemoteKernels } from '../../domain/remote-kernels.ts';
import { unmeasured, type KernelMetrics } from '../kernel-metrics.ts';
import { kernelsOf } from '../kernels-of.ts';
import { startRemote } from './remote-run.ts';
import { remoteServer, type RemoteServerOptions } from './remote-server.ts';

export interface RemoteProviderOptions extends RemoteServerOptions {
  readonly graceMs?: number;
  readonly startTimeoutMs?: number;
  readonly metrics?: KernelMetrics;
  /** Those that any replica has begun: without it they stay there when this process is killed. */
  readonly known?: RemoteKernels | undefined;
  /** Milliseconds, of a clock that only goes on. */
  readonly now?: () => number;
}

/** A process that has not said for so long that it lives is no more. */
const LEASE_MS = 18_000;
/** So many at once. */
const BATCH = 20;

/** Nobody here knows whether a kernel there computes, or waits for others that do. */
const USUAL_GRACE_MS = 15_000;

/**
 * Kernels on any Jupyter Server or Enterprise Gateway. Their memory is the other side's to limit. Only the address that
 * the operator gives is ever asked, and the other side's token and ids stay here.
 */
export function remoteProvider({
  graceMs = USUAL_GRACE_MS,
  startTimeoutMs = 60_000,
  metrics = unmeasured,
  known,
  now,
  ...options
}: RemoteProviderOptions): KernelProvider {
  const server = remoteServer(options);
  const kernels = kernelsOf(graceMs, metrics);

  const judge = leaseJudge(LEASE_MS, now);
  const { url } = options;
  /** By their ids there. */
  const own = new Set<string>();
  const noted = (organisationId: string | null) => ({
    async begun(id: string): Promise<void> {
      own.add(id);
      await known?.add(url, id, organisationId, LEASE_MS);
    },
    /** What could not be removed is tried again by whoever finds its lease run out. */
    async ended(id: string, isRemoved: boolean): Promise<void> {
      own.delete(id);
      if (isRemoved) await known?.remove(url, id);
    },
  });

  async function specs(): Promise<readonly KernelSpec[]> {
    const { kernelspecs } = await server.ask<{ readonly kernelspecs: Readonly<Record<string, RemoteSpec>> }>(
      'GET',
      'kernelspecs',
    );
    return Object.entries(kernelspecs).map(([name, { spec }]) => ({
      name,
      displayName: spec.display_name ?? name,
      language: spec.language ?? '',
      interruptMode: spec.interrupt_mode === 'message' ? 'message' : 'signal',
    }));
  }

  return {
    name: 'remote',
    specs,
    async start({ spec, limits, organisationId }) {
      if (!(await specs()).some(({ name }) => name === spec)) throw kernelSpecNotFound();
      return await kernels.begin(limits, async (receive) => {
        const started = await startRemote({ server, spec, receive, startTimeoutMs, ...noted(organisationId) }).catch(
          (error: unknown) => Promise.reject(unavailable(error)),
        );
        metrics.started(false);
        return started;
      });
    },
    ...(known && {
      outliving: {
        async renewLeases() {
          await known.renew(url, [...own], LEASE_MS);
          judge.renewed();
        },
        async removeLeft() {
          if (!judge.mayJudge()) return;
          const left = await known.left(url, BATCH);
          // One that cannot be removed keeps none of the others there.
          const removals = await Promise.allSettled(
            left.map(async (id) => {
              await server.remove(id);
              await known.remove(url, id);
            }),
          );
          for (const removal of removals) if (removal.status === 'rejected') throw removal.reason;
        },
      },
    }),
    close: async () => await kernels.shutdown(),
  };
}

interface RemoteSpec {
  readonly spec: { readonly display_name?: string; readonly language?: string; readonly interrupt_mode?: string };
}
