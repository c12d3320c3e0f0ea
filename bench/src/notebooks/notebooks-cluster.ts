/** The notebooks service behind a gateway, started anew for each kind of kernels. */
import type { SupervisedProcess } from '@platform-backend/embedded';
import { throwawayPostgres, type ThrowawayPostgres } from '@platform-backend/testing';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { gatewayEnvironment, programOf, startCluster, type Cluster } from '../cluster.ts';
import { migrateService } from '../migrate-service.ts';
import { descendantsCpu, processCpu } from '../process-cpu.ts';
import type { Server } from './web-socket.ts';

export interface NotebooksCluster {
  /** Notebooks and a gateway before it. */
  readonly start: (kernels: Kernels) => Promise<RunningNotebooks>;
  readonly stop: () => Promise<void>;
}

export interface Kernels {
  /** Which are started: `NOTEBOOKS_PYTHON`, and whatever else they need. */
  readonly environment: Readonly<Record<string, string>>;
  /** So many are kept ready. */
  readonly warm: number;
}

export interface RunningNotebooks {
  readonly server: Server;
  /** Of an ipykernel, when there is one: the file that says where its sockets are. */
  readonly connectionFile: () => string;
  /** CPU time of gateway and service so far, without that of the kernels, in microseconds. */
  readonly cpu: () => number;
  /** CPU time of the kernels so far. */
  readonly kernelsCpu: () => number;
  readonly stop: () => Promise<void>;
}

type ClusterWithNotebooks = Pick<Cluster<'notebooks'>, 'atStop' | 'directory'> & {
  startService(service: 'notebooks', environment: Readonly<Record<string, string>>): Promise<SupervisedProcess<string>>;
};

async function notebooksDatabase({ atStop }: ClusterWithNotebooks): Promise<ThrowawayPostgres> {
  const database = await throwawayPostgres();
  atStop(() => database.drop());
  await migrateService(programOf('notebooks'), database);
  return database;
}

/** The service, in which kernels cost nothing and may be as many as are wanted. */
export async function startNotebooks(
  cluster: ClusterWithNotebooks,
  settings: Readonly<Record<string, string>>,
  database?: ThrowawayPostgres,
): Promise<SupervisedProcess<string>> {
  const { appUrl } = database ?? (await notebooksDatabase(cluster));
  return cluster.startService('notebooks', {
    NOTEBOOKS_DATABASE_URL: appUrl,
    NOTEBOOKS_KERNELS_PER_ORGANISATION: '1000',
    NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: '10000',
    NOTEBOOKS_KERNEL_MINUTE_MICROS: '0',
    BILLING_ADDRESS: '127.0.0.1:1',
    // The sockets of kernels are in it.
    TMPDIR: cluster.directory,
    ...settings,
  });
}

/** With `profiles`, the folder in which gateway and service leave a CPU profile. */
export async function startNotebooksCluster(profiles: string | undefined): Promise<NotebooksCluster> {
  const cluster = await startCluster({ services: ['gateway', 'notebooks'], profiles });
  const { directory } = cluster;
  const database = await notebooksDatabase(cluster);
  const issuer = await cluster.startIssuer();
  const identity = await cluster.startIdentityStub();

  return {
    async start({ environment, warm }) {
      const notebooks = await startNotebooks(
        cluster,
        { ...environment, NOTEBOOKS_WARM_KERNELS: String(warm) },
        database,
      );
      const gateway = await cluster.startService('gateway', {
        ...gatewayEnvironment(),
        ...issuer.environment,
        IDENTITY_ADDRESS: identity.ready,
        NOTEBOOKS_ADDRESS: notebooks.ready,
      });
      return {
        server: { baseUrl: `http://${gateway.ready}/notebooks/services/session/`, token: await issuer.token() },
        connectionFile() {
          const [file, ...others] = globSync(join(directory, 'kernel-*/connection.json'));
          if (file === undefined || others.length > 0) throw new Error('there has to be one kernel');
          return file;
        },
        cpu: () => processCpu(gateway.pid) + processCpu(notebooks.pid),
        kernelsCpu: () => descendantsCpu(notebooks.pid),
        async stop() {
          await gateway.stop();
          await notebooks.stop();
        },
      };
    },
    stop: cluster.stop,
  };
}
