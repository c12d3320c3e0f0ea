import { generateServiceKeys } from '@platform-backend/auth';
import type {
  JupyterContentsServiceClient,
  JupyterServiceClient,
  NotebookEnvironmentServiceClient,
  NotebookFolderServiceClient,
  KernelServiceClient,
  NotebookRunServiceClient,
  NotebookServiceClient,
} from '@platform-backend/contract-notebooks';
import type { Clock, Logger } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import type { Composition } from '@platform-backend/service';
import { callers, startTestService, type Callers, type TestServiceOptions } from '@platform-backend/service/testing';
import { composeWith } from '../src/areas.ts';
import type { KernelProvider } from '../src/kernels/domain/kernel-provider.ts';
import { service } from '../src/service.ts';
import { kernelDouble, type KernelDouble } from './kernel-double.ts';

/** The whole service on a database of its own, with a client of each of its services. */
export type TestNotebooks = Awaited<ReturnType<typeof startTestNotebooks>>;

/** Of whom it is called by and calls. */
export const keys = await generateServiceKeys(['gateway', 'notebooks', 'pipelines']);

type PeriodicJobs = NonNullable<Composition<typeof service.declaration>['jobs']>;

/** Kernels cost nothing unless the environment says so. What it does again and again is done when a test asks for it. */
export const startTestNotebooks = (options: TestServiceOptions = {}) => startNotebooksWith(kernelDouble(), options);

/** The same with other kernels. */
export async function startNotebooksWith<Provider extends KernelProvider>(
  provider: Provider,
  { environment, ...options }: TestServiceOptions = {},
) {
  let repeated: PeriodicJobs = [];
  const running = await startTestService(
    service,
    async (frame) => {
      const composition = await composeWith(() => provider)(frame);
      repeated = composition.jobs ?? [];
      return { ...composition, jobs: [] };
    },
    keys,
    {
      ...options,
      environment: {
        NOTEBOOKS_KERNEL_MINUTE_MICROS: '0',
        SECRETS_KEY: 'a secret of the tests',
        ...environment,
      },
    },
  );
  return {
    ...running,
    ...clientsOf(running.calledBy('gateway')),
    provider,
    work: worker(() => repeated),
    /** Another replica on the same database. */
    replica: (more: Readonly<Record<string, string>>, clock: Clock) => startReplica(running, more, clock),
  };
}

async function startReplica(
  { env, logger }: { readonly env: Readonly<Record<string, string>>; readonly logger: Logger },
  more: Readonly<Record<string, string>>,
  clock: Clock,
) {
  const provider: KernelDouble = kernelDouble();
  let repeated: PeriodicJobs = [];
  const running = await service.start(
    async (frame) => {
      const composition = await composeWith(() => provider)(frame);
      repeated = composition.jobs ?? [];
      return { ...composition, jobs: [] };
    },
    { env: { ...env, ...more }, logger, clock },
  );
  const calling = callers({ of: service.declaration.contract, address: running.address, as: 'gateway', keys, clock });
  const stop = async () => {
    calling.close();
    await running.stop();
  };
  const { metricsAddress } = running;
  return {
    ...clientsOf(calling),
    provider,
    metricsAddress,
    repeated: () => repeated,
    work: worker(() => repeated),
    stop,
  };
}

const worker = (repeated: () => PeriodicJobs) => async (what: string) => {
  await repeated()
    .find((one) => one.name === what)
    ?.run(new AbortController().signal);
};

const clientsOf = ({ to }: Callers) => ({
  notebooks: to<NotebookServiceClient<CallOptions>>('NotebookService'),
  environment: to<NotebookEnvironmentServiceClient<CallOptions>>('NotebookEnvironmentService'),
  folders: to<NotebookFolderServiceClient<CallOptions>>('NotebookFolderService'),
  kernels: to<KernelServiceClient<CallOptions>>('KernelService'),
  runs: to<NotebookRunServiceClient<CallOptions>>('NotebookRunService'),
  jupyter: to<JupyterServiceClient<CallOptions>>('JupyterService'),
  contents: to<JupyterContentsServiceClient<CallOptions>>('JupyterContentsService'),
});
