import { unavailable } from '@platform-backend/core';
import type { Sandbox } from '@platform-backend/sandbox';
import { kernelSpecNotFound } from '../../domain/errors.ts';
import type { KernelProvider, KernelSpec } from '../../domain/kernel-provider.ts';
import { unmeasured, type KernelMetrics } from '../kernel-metrics.ts';
import { kernelsOf } from '../kernels-of.ts';
import { memoryOf } from '../memory-of.ts';
import { warmPool, type WarmFrom } from '../warm-pool.ts';
import { startIpykernel, type IpykernelProcess } from './ipykernel-process.ts';
import { removeLeftFolders } from './kernel-folders.ts';
import type { Python } from './python.ts';

export interface IpykernelProviderOptions {
  readonly sandbox: Sandbox;
  /** See `findPython`. */
  readonly python: Python;
  /** So many are kept ready. Each holds some 70 MB. */
  readonly warm?: number;
  readonly warmFrom?: WarmFrom;
  /** With which limit of memory; a kernel that wants another one is started cold. */
  readonly memoryBytes?: number;
  /** Room for the files that cells write. */
  readonly folderBytes?: number;
  /** What one message may have; by default as much as a flood of output prints in a fifth of a second. */
  readonly messageBytes?: number;
  /** How clients name its kernels, and people. */
  readonly spec?: { readonly name: string; readonly displayName?: string | undefined };
  /** Every kernel has the provider's own limit of memory, whatever else is asked for. */
  readonly ownMemory?: boolean;
  readonly startTimeoutMs?: number;
  readonly graceMs?: number;
  readonly metrics?: KernelMetrics;
}

const mebibytes = 2 ** 20;

/** Python's own kernel, sandboxed, one process for each. */
export function ipykernelProvider({
  sandbox,
  python,
  warm = 0,
  warmFrom,
  memoryBytes = 512 * mebibytes,
  folderBytes = 64 * mebibytes,
  messageBytes,
  spec: named,
  ownMemory = false,
  startTimeoutMs = 60_000,
  graceMs,
  metrics = unmeasured,
}: IpykernelProviderOptions): KernelProvider {
  const spec: KernelSpec = {
    name: named?.name ?? 'python3',
    displayName: named?.displayName ?? `Python ${python.version} (ipykernel)`,
    language: 'python',
    interruptMode: 'message',
  };
  const closing = new AbortController();
  // What cannot be removed now is tried again by the next process.
  void removeLeftFolders().catch(() => undefined);
  const live = new Set<IpykernelProcess>();
  const kernels = kernelsOf(graceMs, metrics);

  async function startOne(bytes: number): Promise<IpykernelProcess> {
    const options = {
      ...{ sandbox, python, memoryBytes: bytes, folderBytes, startTimeoutMs, signal: closing.signal },
      ...(messageBytes !== undefined && { messageBytes }),
    };
    const started = await startIpykernel(options).catch((error: unknown) => Promise.reject(unavailable(error)));
    live.add(started);
    void started.ended.then(() => live.delete(started));
    return started;
  }

  const pool = warmPool(warm, async () => await startOne(memoryBytes), warmFrom);

  return {
    name: 'ipykernel',
    sandbox: sandbox.kind,
    specs: () => Promise.resolve([spec]),
    async start({ spec: wanted, limits: asked, ...preparation }) {
      if (wanted !== spec.name) throw kernelSpecNotFound();
      const limits = ownMemory ? { ...asked, memoryBytes } : asked;
      return await kernels.begin(
        limits,
        async (receive) => {
          const isUsual = limits.memoryBytes === memoryBytes;
          const isWarm = isUsual && pool.isReady();
          const started = (isUsual ? await pool.take() : undefined) ?? (await startOne(limits.memoryBytes));
          metrics.started(isWarm);
          started.receive(receive);
          return started;
        },
        preparation,
      );
    },
    memoryBytes: () => memoryOf(live),
    async close() {
      closing.abort();
      pool.close();
      await kernels.shutdown();
      await Promise.all([...live].map(async (started) => await started.end()));
    },
  };
}
