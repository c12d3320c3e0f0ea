import type { Configuration, Logger } from '@platform-backend/core';
import { openSandbox, type Sandbox } from '@platform-backend/sandbox';
import { join } from 'node:path';
import type { KernelOwners } from '../domain/kernel-owners.ts';
import type { KernelProvider } from '../domain/kernel-provider.ts';
import { forOneOrganisation } from './for-one-organisation.ts';
import { startIpykernel, type IpykernelProcessOptions } from './ipykernel/ipykernel-process.ts';
import { ipykernelProvider } from './ipykernel/ipykernel-provider.ts';
import { findPython } from './ipykernel/python.ts';
import type { providerSettings } from './provider-settings.ts';
import { pyodideProvider } from './pyodide/pyodide-provider.ts';
import { refusedKernels } from './refused-kernels.ts';
import { remoteProvider } from './remote/remote-provider.ts';

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
): Promise<KernelProvider> {
  const { PLATFORM_HOME: home, BWRAP_BINARY: binary, JUPYTER_URL: address, JUPYTER_TOKEN: token } = settings;
  // Its kernels share files, memory and the account that they run as.
  if (address !== undefined) return forOneOrganisation(remoteProvider({ url: address, token }), address, owners);
  const sandbox = await openSandbox({ binary, ...(home !== undefined && { cacheDirectory: join(home, 'programs') }) });
  if (sandbox.kind === 'none' && settings.NOTEBOOKS_WITHOUT_SANDBOX === 'refuse') {
    const reason = sandbox.reason ?? 'there is none';
    logger.warn(
      { event: 'kernels.refused', reason },
      'kernels are refused, as they would have no sandbox: NOTEBOOKS_WITHOUT_SANDBOX=allow has them run all the same',
    );
    return refusedKernels(await localKernels({ ...settings, NOTEBOOKS_WARM_KERNELS: 0 }, sandbox, logger), reason);
  }
  const provider = await localKernels(settings, sandbox, logger);
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
  program: string,
) {
  try {
    const signal = AbortSignal.timeout(TRY_MS);
    const kernel = await startIpykernel({ ...options, startTimeoutMs: TRY_MS, signal });
    await kernel.end();
  } catch (error) {
    throw new Error(`NOTEBOOKS_PYTHON names ${program}, whose kernels do not start`, { cause: error });
  }
}

/** Where nobody uses kernels, none is kept. */
const WARM_FROM = 'first use';

/** Of the Python that is named, or else of Pyodide, which comes from npm. */
async function localKernels(
  settings: Configuration<typeof providerSettings>,
  sandbox: Sandbox,
  logger: Logger,
): Promise<KernelProvider> {
  const memoryBytes = settings.NOTEBOOKS_KERNEL_MEMORY_MB * MIB;
  const outputBytes = settings.NOTEBOOKS_KERNEL_OUTPUT_MB * MIB;
  const [program, warm] = [settings.NOTEBOOKS_PYTHON, settings.NOTEBOOKS_WARM_KERNELS];
  if (program === undefined) {
    return pyodideProvider({
      sandbox,
      warm,
      warmFrom: WARM_FROM,
      memoryBytes,
      outputBytes,
      packages: settings.PYODIDE_PACKAGES,
      onNoSnapshot: (error) =>
        logger.warn({ event: 'kernels.no_snapshot', err: error }, 'kernels start from nothing, which takes seconds'),
    });
  }
  const python = await findPython(program);
  if (!python) throw new Error(`NOTEBOOKS_PYTHON names ${program}, which is no Python that has ipykernel`);
  await tryKernel({ sandbox, python, memoryBytes }, program);
  return ipykernelProvider({
    ...{ sandbox, python, warm, warmFrom: WARM_FROM, memoryBytes },
    folderBytes: settings.NOTEBOOKS_FOLDER_MB * MIB,
  });
}
