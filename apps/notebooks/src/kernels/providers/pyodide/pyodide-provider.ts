import { unavailable } from '@platform-backend/core';
import type { Sandbox } from '@platform-backend/sandbox';
import { randomUUID } from 'node:crypto';
import { kernelSpecNotFound } from '../../domain/errors.ts';
import type { KernelProvider, KernelSpec, KernelStartOptions } from '../../domain/kernel-provider.ts';
import { unmeasured, type KernelMetrics } from '../kernel-metrics.ts';
import { kernelsOf } from '../kernels-of.ts';
import { memoryOf } from '../memory-of.ts';
import { warmPool, type WarmFrom } from '../warm-pool.ts';
import { startGuest, type GuestProcess, type GuestProcessOptions } from './guest-process.ts';
import { pythonSnapshot } from './python-snapshot.ts';

export interface PyodideProviderOptions {
  readonly sandbox: Sandbox;
  /** So many guests are kept ready. Each holds some 170 MB. */
  readonly warm?: number;
  readonly warmFrom?: WarmFrom;
  /** With which limit of memory; a kernel that wants another one is started cold. */
  readonly memoryBytes?: number;
  /** And with which limit of output. */
  readonly outputBytes?: number;
  /** A folder with a distribution of Pyodide, for packages such as pandas: its wheels and their lock file. Asked at each start. */
  readonly packages?: (() => Promise<string | undefined>) | undefined;
  /** How clients name its kernels, and people. */
  readonly spec?: { readonly name: string; readonly displayName?: string | undefined };
  /** Every kernel has the provider's own limit of memory, whatever else is asked for. */
  readonly ownMemory?: boolean;
  readonly startTimeoutMs?: number;
  readonly graceMs?: number;
  readonly metrics?: KernelMetrics;
  /** Python starts from nothing each time, for want of a snapshot. */
  readonly onNoSnapshot?: (error: unknown) => void;
}

/** What a guest holds besides Python's memory: Node, the compiled code of Pyodide, JavaScript's heaps. */
const besidesPython = 224 * 2 ** 20;
const mebibytes = 2 ** 20;

/** Python in WebAssembly, from npm alone: one sandboxed process for each kernel. */
export function pyodideProvider({
  sandbox,
  warm = 0,
  warmFrom,
  memoryBytes = 512 * mebibytes,
  outputBytes = 10 * mebibytes,
  packages = () => Promise.resolve(undefined),
  spec: named,
  ownMemory = false,
  startTimeoutMs = 60_000,
  graceMs,
  metrics = unmeasured,
  onNoSnapshot = () => undefined,
}: PyodideProviderOptions): KernelProvider {
  const spec: KernelSpec = {
    name: named?.name ?? 'python3',
    displayName: named?.displayName ?? 'Python 3 (Pyodide)',
    language: 'python',
    interruptMode: 'message',
  };
  const live = new Set<GuestProcess>();
  let snapshot: Promise<string | undefined> | undefined;
  const takeSnapshot = async () => {
    try {
      return await pythonSnapshot();
    } catch (error) {
      onNoSnapshot(error);
      return undefined;
    }
  };
  const kernels = kernelsOf(graceMs, metrics);
  const closing = new AbortController();

  async function startOne(limits: {
    readonly memoryBytes: number;
    readonly outputBytes: number;
  }): Promise<GuestProcess> {
    const [file, folder] = await Promise.all([(snapshot ??= takeSnapshot()), packages()]);
    const options: GuestProcessOptions = {
      sandbox,
      memoryBytes: limits.memoryBytes,
      pythonBytes: Math.max(limits.memoryBytes - besidesPython, besidesPython),
      outputBytes: limits.outputBytes,
      session: randomUUID(),
      startTimeoutMs,
      signal: closing.signal,
      ...(folder !== undefined && { packages: folder }),
      ...(file !== undefined && { snapshot: file }),
    };
    const guest = await startGuest(options).catch((error: unknown) => Promise.reject(unavailable(error)));
    live.add(guest);
    void guest.ended.then(() => live.delete(guest));
    return guest;
  }

  const pool = warmPool(warm, async () => await startOne({ memoryBytes, outputBytes }), warmFrom);

  async function take({ limits }: KernelStartOptions): Promise<GuestProcess> {
    const usual = limits.memoryBytes === memoryBytes && limits.outputBytes === outputBytes;
    const isWarm = usual && pool.isReady();
    const guest = (usual ? await pool.take() : undefined) ?? (await startOne(limits));
    metrics.started(isWarm);
    return guest;
  }

  return {
    name: 'pyodide',
    sandbox: sandbox.kind,
    specs: () => Promise.resolve([spec]),
    async start(wanted) {
      if (wanted.spec !== spec.name) throw kernelSpecNotFound();
      const limits = ownMemory ? { ...wanted.limits, memoryBytes } : wanted.limits;
      return await kernels.begin(
        limits,
        async (receive) => {
          const guest = await take({ ...wanted, limits });
          guest.receive(receive);
          return guest;
        },
        wanted,
      );
    },
    memoryBytes: () => memoryOf(live),
    async close() {
      closing.abort();
      await kernels.shutdown();
      pool.close();
      await Promise.all([...live].map(async (guest) => await guest.end()));
    },
  };
}
