import type { Configuration, Logger } from '@platform-backend/core';
import { openSandbox, type Sandbox } from '@platform-backend/sandbox';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KernelOwners } from '../domain/kernel-owners.ts';
import type { KernelProvider } from '../domain/kernel-provider.ts';
import type { RemoteKernels } from '../domain/remote-kernels.ts';
import { forOneOrganisation } from './for-one-organisation.ts';
import { startIpykernel, type IpykernelProcessOptions } from './ipykernel/ipykernel-process.ts';
import { ipykernelProvider } from './ipykernel/ipykernel-provider.ts';
import { findPython } from './ipykernel/python.ts';
import { unmeasured, type KernelMetrics } from './kernel-metrics.ts';
import type { KernelspecSetting } from './kernelspecs.ts';
import type { providerSettings } from './provider-settings.ts';
import { ownDirectory } from './pyodide/own-directory.ts';
import { pyodideProvider } from './pyodide/pyodide-provider.ts';
import { askedWhenMissing, keptPackages, preparePackages } from './pyodide/wheels/prepared-packages.ts';
import { refusedKernels } from './refused-kernels.ts';
import { remoteProvider } from './remote/remote-provider.ts';
import { severalKernels } from './several-kernels.ts';

/** The first start of a Python after it was installed compiles what it imports. */
const TRY_MS = 60_000;
const MIB = 1024 * 1024;
/** What kernels share that have none: the account of the service. */
const WITHOUT_SANDBOX = 'no sandbox';

/** The kernels that are configured, in the best sandbox that this machine has. */
export async function openKernels(
  settings: Configuration<typeof providerSettings>,
  logger: Logger,
  owners: KernelOwners,
  metrics: KernelMetrics = unmeasured,
  remoteKernels?: RemoteKernels,
): Promise<KernelProvider> {
  const { PLATFORM_HOME: home, BWRAP_BINARY: binary, JUPYTER_URL: address, JUPYTER_TOKEN: token } = settings;
  // Its kernels share files, memory and the account that they run as.
  if (address !== undefined)
    return forOneOrganisation(remoteProvider({ url: address, token, metrics, known: remoteKernels }), address, owners);
  const sandbox = await openSandbox({ binary, ...(home !== undefined && { cacheDirectory: join(home, 'programs') }) });
  if (sandbox.kind === 'none' && settings.NOTEBOOKS_WITHOUT_SANDBOX === 'refuse') {
    const reason = sandbox.reason ?? 'there is none';
    logger.warn(
      { event: 'kernels.refused', reason },
      'kernels are refused, as they would have no sandbox: NOTEBOOKS_WITHOUT_SANDBOX=allow has them run all the same',
    );
    const few = { ...settings, NOTEBOOKS_WARM_KERNELS: 0 };
    return refusedKernels(await localKernels(few, { sandbox, logger, metrics }), reason);
  }
  const provider = await localKernels(settings, { sandbox, logger, metrics });
  if (sandbox.kind !== 'none') return provider;
  logger.warn(
    { event: 'kernels.no_sandbox', reason: sandbox.reason },
    'kernels have no sandbox here: they are for one organisation alone',
  );
  return forOneOrganisation(provider, WITHOUT_SANDBOX, owners);
}

/** What does not start now starts for nobody: better said at once than to each of them. */
async function tryKernel(
  options: Pick<IpykernelProcessOptions, 'sandbox' | 'python' | 'memoryBytes'>,
  variable: string,
  program: string,
) {
  try {
    const signal = AbortSignal.timeout(TRY_MS);
    const kernel = await startIpykernel({ ...options, startTimeoutMs: TRY_MS, signal });
    await kernel.end();
  } catch (error) {
    throw new Error(`${variable} names ${program}, whose kernels do not start`, { cause: error });
  }
}

/** Where nobody uses kernels, none is kept. */
const WARM_FROM = 'first use' as const;

/** Those that are named; else of the Python that is named, or of Pyodide, which comes from npm. */
async function localKernels(settings: LocalSettings, ports: LocalPorts): Promise<KernelProvider> {
  const specs = settings.NOTEBOOKS_KERNELSPECS;
  const usual = { ...(settings.NOTEBOOKS_PYTHON !== undefined && { python: settings.NOTEBOOKS_PYTHON }) };
  if (specs === undefined) return await kernelsOfSpec(usual, settings, ports);
  // A start is quick where most are; each of the others would hold memory for the few.
  const warmOf = (at: number) => (at === 0 ? settings.NOTEBOOKS_WARM_KERNELS : 0);
  const opening = specs.map((spec, at) =>
    kernelsOfSpec(spec, { ...settings, NOTEBOOKS_WARM_KERNELS: warmOf(at) }, ports),
  );
  return severalKernels(await Promise.all(opening));
}

interface LocalPorts {
  readonly sandbox: Sandbox;
  readonly logger: Logger;
  readonly metrics: KernelMetrics;
}

type LocalSettings = Configuration<typeof providerSettings>;

async function kernelsOfSpec(
  { python: program, ...wanted }: Partial<KernelspecSetting>,
  settings: LocalSettings,
  { sandbox, logger, metrics }: LocalPorts,
): Promise<KernelProvider> {
  const { name, display_name: displayName, memory_mb: megabytes, packages } = wanted;
  const options = {
    sandbox,
    metrics,
    warm: settings.NOTEBOOKS_WARM_KERNELS,
    warmFrom: WARM_FROM,
    memoryBytes: (megabytes ?? settings.NOTEBOOKS_KERNEL_MEMORY_MB) * MIB,
    ownMemory: megabytes !== undefined,
    ...(name !== undefined && { spec: { name, displayName } }),
  };
  if (program === undefined) {
    return pyodideProvider({
      ...options,
      outputBytes: settings.NOTEBOOKS_KERNEL_OUTPUT_MB * MIB,
      packages: packagesOf(settings, packages ?? settings.NOTEBOOKS_PACKAGES, logger),
      onNoSnapshot: (error) =>
        logger.warn({ event: 'kernels.no_snapshot', err: error }, 'kernels start from nothing, which takes seconds'),
    });
  }
  const python = await findPython(program);
  const variable = name === undefined ? 'NOTEBOOKS_PYTHON' : 'NOTEBOOKS_KERNELSPECS';
  if (!python) throw new Error(`${variable} names ${program}, which is no Python that has ipykernel`);
  await tryKernel({ sandbox, python, memoryBytes: options.memoryBytes }, variable, program);
  return ipykernelProvider({ ...options, python, folderBytes: settings.NOTEBOOKS_FOLDER_MB * MIB });
}

/** Of a folder that somebody has prepared; or of one that the service fills itself, before the first kernel needs it. */
function packagesOf(settings: LocalSettings, packages: readonly string[], logger: Logger) {
  const { PYODIDE_PACKAGES: folder, NOTEBOOKS_WHEELS: sources, PLATFORM_HOME: home } = settings;
  if (folder !== undefined) return () => Promise.resolve(folder);
  if (sources.length === 0 || packages.length === 0) return undefined;
  const directory = async (): Promise<string> => {
    const parent = home === undefined ? tmpdir() : join(home, 'programs');
    await mkdir(parent, { recursive: true });
    return await ownDirectory(join(parent, `python-wheels-${process.getuid?.() ?? 0}`));
  };
  return askedWhenMissing(
    async () => await preparePackages({ packages, sources, directory: await directory() }),
    (error) =>
      logger.warn(
        { event: 'kernels.no_packages', err: error },
        'the packages of kernels cannot be had now: they start with those that are kept, and it is tried again',
      ),
    async () => await keptPackages({ packages, directory: await directory() }),
  );
}
