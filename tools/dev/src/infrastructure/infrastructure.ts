import { serviceVariable } from '@platform-backend/core';
import type { AnyStorage, Service } from '@platform-backend/service';
import { allSettled } from '../all-settled.ts';
import type { Progress } from '../progress.ts';
import type { RunFile } from '../run-file.ts';
import { gatewayEvents } from '../services.ts';
import type { Settings } from '../settings.ts';
import { Layer, type StopOrder } from '../stop-order.ts';
import {
  embeddedIdentityProvider,
  embeddedNats,
  embeddedPostgres,
  makeStreams,
  natsUrl,
  type EmbeddedServersContext,
} from './embedded-servers.ts';
import { mongoDatabases } from './mongo-server.ts';

/** What the services stand on: embedded here, or named by the environment. */
export interface Infrastructure {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string | undefined;
  readonly tokenEndpoint: string | undefined;
  /** With the password of one user: a service, the gateway or the operator. */
  readonly natsUrl: (user: string) => string;
  /** By service: connection texts for the service itself and for its migrations. */
  readonly databases: ReadonlyMap<string, { readonly app: string; readonly owner: string | undefined }>;
  readonly embeddedDatabases: RunFile['databases'];
}

/** The API's own name in access tokens: no client of a provider is called so, or its ID tokens would bear it too. */
const apiAudience = 'platform-api';

/** All embedded servers start at the same time; each part that the environment names is left out. */
export async function startInfrastructure(
  {
    env,
    progress,
    settings: { apps },
  }: { readonly env: NodeJS.ProcessEnv; readonly progress: Progress; readonly settings: Settings },
  surroundings: EmbeddedServersContext,
  services: readonly Service[],
  started: StopOrder,
): Promise<Infrastructure> {
  /** Services on this kind of storage that nobody has given a database. */
  const needing = (kind: AnyStorage['kind']): Service[] =>
    services.filter(
      ({ declaration: { name, storage } }) =>
        storage.kind === kind && env[serviceVariable(name, 'DATABASE_URL')] === undefined,
    );
  const postgres = async () => {
    const served = needing('postgres');
    if (served.length === 0) return [];
    const work = (): ReturnType<typeof embeddedPostgres> => embeddedPostgres(surroundings, served);
    const server = await progress.phase('PostgreSQL', work, ({ address }) => address);
    started.add(Layer.data, server.stop);
    return [...server.databases].map(
      ([name, { appUrl, ownerUrl }]) => [name, { app: appUrl, owner: ownerUrl }] as const,
    );
  };
  const mongo = async () => {
    const served = needing('mongo');
    if (served.length === 0) return [];
    const work = (): ReturnType<typeof mongoDatabases> => mongoDatabases(surroundings, env, served);
    const server = await progress.phase('MongoDB', work, ({ description }) => description);
    started.add(Layer.data, server.stop);
    return [...server.databases].map(([name, url]) => [name, { app: url, owner: url }] as const);
  };
  const nats = async (): Promise<Infrastructure['natsUrl']> => {
    const { NATS_URL: given } = env;
    if (given !== undefined) {
      await progress.phase('event streams', () => makeStreams(given, surroundings.signal, env));
      return () => given;
    }
    const work = async () =>
      embeddedNats(surroundings, [...services.map(({ eventAccess }) => eventAccess), await gatewayEvents(apps)]);
    const server = await progress.phase('NATS', work, ({ address }) => address);
    started.add(Layer.data, server.stop);
    return (user) => natsUrl(server.address, user, surroundings.secrets.natsPasswords[user] ?? '');
  };
  const audience = env['OIDC_AUDIENCE'] ?? apiAudience;
  const identityProvider = async () => {
    if (env['OIDC_ISSUER'] !== undefined) return undefined;
    const work = (): ReturnType<typeof embeddedIdentityProvider> => embeddedIdentityProvider(surroundings, audience);
    const provider = await progress.phase('identity provider', work, ({ issuer }) => issuer);
    started.add(Layer.identityProvider, provider.stop);
    return provider;
  };

  const [tables, documents, urlOfUser, provider] = await allSettled([postgres(), mongo(), nats(), identityProvider()]);
  const embeddedDatabases: RunFile['databases'] = Object.fromEntries([...tables, ...documents]);
  return {
    issuer: provider?.issuer ?? env['OIDC_ISSUER'] ?? '',
    audience,
    jwksUrl: provider?.isElsewhere === true ? provider.jwksUrl : env['OIDC_JWKS_URL'],
    tokenEndpoint: provider?.tokenEndpoint,
    natsUrl: urlOfUser,
    databases: new Map(
      services.map(({ declaration: { name } }) => [name, embeddedDatabases[name] ?? givenDatabase(name, env)]),
    ),
    embeddedDatabases,
  };
}

const givenDatabase = (name: string, env: NodeJS.ProcessEnv) => ({
  app: env[serviceVariable(name, 'DATABASE_URL')] ?? '',
  owner: env[serviceVariable(name, 'MIGRATION_URL')],
});
