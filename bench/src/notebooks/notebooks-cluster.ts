/** Starts everything that the measurements of kernels need, with nothing kept afterwards. */
import { generateServiceKeys } from '@platform-backend/auth';
import type { SupervisedProcess } from '@platform-backend/embedded';
import { setUpStreams } from '@platform-backend/events/set-up';
import { startTestIdentityProvider, throwawayNats, throwawayPostgres } from '@platform-backend/testing';
import { randomBytes } from 'node:crypto';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrateService } from '../migrate-service.ts';
import { descendantsCpu, processCpu } from '../process-cpu.ts';
import { processStarter } from '../start-process.ts';
import type { Server } from './web-socket.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NOTEBOOKS = join(ROOT, 'apps/notebooks/src/main.ts');
const GATEWAY = join(ROOT, 'apps/gateway/src/main.ts');

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

/** With `profiles`, the folder in which gateway and service leave a CPU profile. */
export async function startNotebooksCluster(profiles: string | undefined): Promise<NotebooksCluster> {
  const profiling = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`];
  const directory = mkdtempSync(join(tmpdir(), 'bench-'));
  const database = await throwawayPostgres();
  await migrateService(NOTEBOOKS, database);
  const nats = await throwawayNats();
  await setUpStreams({ servers: nats.url, signal: AbortSignal.timeout(20_000) });
  const issuer = await startTestIdentityProvider();
  const { privateKeys, publicKeys } = await generateServiceKeys(['gateway', 'notebooks']);

  const start = processStarter(directory);
  const identity = await start('identity', [join(ROOT, 'bench/src/stub/main.ts')], {});
  const shared = { NATS_URL: nats.url, SERVICE_PUBLIC_KEYS: JSON.stringify(publicKeys) };

  const startNotebooks = ({ environment, warm }: Kernels): Promise<SupervisedProcess<string>> =>
    start('notebooks', [...profiling, NOTEBOOKS], {
      ...shared,
      ...environment,
      NOTEBOOKS_LISTEN: '127.0.0.1:0',
      NOTEBOOKS_DATABASE_URL: database.appUrl,
      NOTEBOOKS_KERNELS_PER_ORGANISATION: '1000',
      NOTEBOOKS_KERNEL_STARTS_PER_MINUTE: '10000',
      NOTEBOOKS_KERNEL_MINUTE_MICROS: '0',
      NOTEBOOKS_WARM_KERNELS: String(warm),
      BILLING_ADDRESS: '127.0.0.1:1',
      SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.notebooks),
      // The sockets of kernels are in it.
      TMPDIR: directory,
    });
  const startGateway = (notebooksAddress: string): Promise<SupervisedProcess<string>> =>
    start('gateway', [...profiling, GATEWAY], {
      ...shared,
      OIDC_ISSUER: issuer.issuer,
      OIDC_AUDIENCE: issuer.audience,
      OIDC_JWKS_URL: issuer.jwksUrl,
      IDENTITY_ADDRESS: identity.ready,
      NOTEBOOKS_ADDRESS: notebooksAddress,
      SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.gateway),
      PLATFORM_PORT: '0',
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_METRICS_PORT: '0',
      CURSOR_KEY: randomBytes(32).toString('base64url'),
    });

  return {
    async start(kernels) {
      const notebooks = await startNotebooks(kernels);
      const gateway = await startGateway(notebooks.ready);
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
    async stop() {
      await identity.stop();
      await issuer.stop();
      await nats.drop();
      await database.drop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
