/** The platform's gateway and a hand-written one on the same service. */
import type { SupervisedProcess } from '@platform-backend/embedded';
import { throwawayPostgres } from '@platform-backend/testing';
import { join } from 'node:path';
import { gatewayEnvironment, programOf, startCluster } from '../cluster.ts';
import type { Target } from '../load.ts';
import { migrateService } from '../migrate-service.ts';

/** What stands behind both gateways: the real identity service, or a stand-in with ready-made answers. Streams are always a stand-in's. */
export type ServiceKind = 'identity' | 'stub';

export type GatewayCluster = {
  platform: Target;
  baseline: Target;
  readonly identityPid: number;
  /** An access token of the user every request is made for. */
  token: string;
  /** One of another user. */
  readonly tokenOf: (sub: string) => Promise<string>;
  /** Called when the cluster stops, the last one first. */
  readonly atStop: (stop: () => unknown) => void;
  stop(): Promise<void>;
};

/** All of one caller, and of one address. */
const STREAMS_AT_ONCE = {
  GATEWAY_STREAM_CALLER_LIMIT: '1000',
  GATEWAY_STREAM_ORGANISATION_LIMIT: '1000',
  GATEWAY_STREAM_ADDRESS_LIMIT: '1000',
};

export interface GatewayClusterOptions {
  /** Of the platform's gateway, beside what every gateway of a benchmark has. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The folder in which both servers leave a CPU profile. */
  readonly profiles?: string | undefined;
}

export const startGatewayCluster = async (
  service: ServiceKind,
  { environment = {}, profiles }: GatewayClusterOptions = {},
): Promise<GatewayCluster> => {
  const cluster = await startCluster({ services: ['gateway', 'identity'], profiles });
  const startIdentity = async () => {
    const database = await throwawayPostgres();
    cluster.atStop(() => database.drop());
    await migrateService(programOf('identity'), database);
    return cluster.startService('identity', { IDENTITY_DATABASE_URL: database.appUrl });
  };
  try {
    const issuer = await cluster.startIssuer();
    const identity = await (service === 'stub' ? cluster.startIdentityStub() : startIdentity());
    const streams = await cluster.run('streams', [join(import.meta.dirname, '../stream-stub/main.ts')], {});
    const shared = { ...issuer.environment, IDENTITY_ADDRESS: identity.ready };
    const baseline = await cluster.run(
      'baseline',
      [...cluster.profiling, join(import.meta.dirname, '../baseline/main.ts')],
      {
        ...shared,
        STREAMS_ADDRESS: streams.ready,
        SERVICE_PRIVATE_KEY: JSON.stringify(cluster.keys.privateKeys.gateway),
      },
    );
    const gateway = await cluster.startService('gateway', {
      ...shared,
      ...gatewayEnvironment(),
      CONTENT_ADDRESS: streams.ready,
      NOTEBOOKS_ADDRESS: streams.ready,
      ...STREAMS_AT_ONCE,
      ...environment,
    });
    const target = ({ pid, ready }: SupervisedProcess<string>): Target => ({ url: `http://${ready}`, pid });
    return {
      platform: target(gateway),
      baseline: target(baseline),
      identityPid: identity.pid,
      token: await issuer.token(),
      tokenOf: (sub) => issuer.token(sub),
      atStop: cluster.atStop,
      stop: cluster.stop,
    };
  } catch (error) {
    await cluster.stop();
    throw error;
  }
};
