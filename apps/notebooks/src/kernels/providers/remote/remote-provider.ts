import { unavailable } from '@platform-backend/core';
import { kernelSpecNotFound } from '../../domain/errors.ts';
import type { KernelProvider, KernelSpec } from '../../domain/kernel-provider.ts';
import { unmeasured, type KernelMetrics } from '../kernel-metrics.ts';
import { kernelsOf } from '../kernels-of.ts';
import { startRemote } from './remote-run.ts';
import { remoteServer, type RemoteServerOptions } from './remote-server.ts';

export interface RemoteProviderOptions extends RemoteServerOptions {
  readonly graceMs?: number;
  readonly startTimeoutMs?: number;
  readonly metrics?: KernelMetrics;
}

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
  ...options
}: RemoteProviderOptions): KernelProvider {
  const server = remoteServer(options);
  const kernels = kernelsOf(graceMs, metrics);

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
    async start({ spec, limits }) {
      if (!(await specs()).some(({ name }) => name === spec)) throw kernelSpecNotFound();
      return await kernels.begin(limits, async (receive) => {
        const started = await startRemote({ server, spec, receive, startTimeoutMs }).catch((error: unknown) =>
          Promise.reject(unavailable(error)),
        );
        metrics.started(false);
        return started;
      });
    },
    close: async () => await kernels.shutdown(),
  };
}

interface RemoteSpec {
  readonly spec: { readonly display_name?: string; readonly language?: string; readonly interrupt_mode?: string };
}
