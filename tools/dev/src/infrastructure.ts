import { allSettled } from './all-settled.ts';
import {
  embeddedIdentityProvider,
  embeddedNats,
  embeddedPostgres,
  makeStreams,
  natsUrl,
  type Surroundings,
} from './embedded-servers.ts';
import type { PlatformOptions } from './platform.ts';
import type { RunFile } from './run-file.ts';
import { eventAccesses, gateway, variable, type Service } from './services.ts';
import { Layer, type StopOrder } from './stop-order.ts';

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
  { env, progress, settings: { apps } }: Pick<PlatformOptions, 'env' | 'progress' | 'settings'>,
  surroundings: Surroundings,
  services: readonly Service[],
  started: StopOrder,
): Promise<Infrastructure> {
  const needDatabase = services.filter(({ name }) => env[variable(name, 'DATABASE_URL')] === undefined);
  const postgres = async () => {
    if (needDatabase.length === 0) return undefined;
    const work = (): ReturnType<typeof embeddedPostgres> => embeddedPostgres(surroundings, needDatabase);
    const server = await progress.phase('PostgreSQL', work, ({ address }) => address);
    started.add(Layer.data, server.stop);
    return server.databases;
  };
  const nats = async (): Promise<Infrastructure['natsUrl']> => {
    const { NATS_URL: given } = env;
    if (given !== undefined) {
      await progress.phase('event streams', () => makeStreams(given, surroundings.signal, env));
      return () => given;
    }
    const work = async () => embeddedNats(surroundings, await eventAccesses(apps, [...services, { name: gateway }]));
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

  const [databases, urlOfUser, provider] = await allSettled([postgres(), nats(), identityProvider()]);
  return {
    issuer: provider?.issuer ?? env['OIDC_ISSUER'] ?? '',
    audience,
    jwksUrl: provider?.isElsewhere === true ? provider.jwksUrl : env['OIDC_JWKS_URL'],
    tokenEndpoint: provider?.tokenEndpoint,
    natsUrl: urlOfUser,
    databases: new Map(
      services.map(({ name }) => {
        const embedded = databases?.get(name);
        const app = embedded?.appUrl ?? env[variable(name, 'DATABASE_URL')] ?? '';
        return [name, { app, owner: embedded?.ownerUrl ?? env[variable(name, 'MIGRATION_URL')] }];
      }),
    ),
    embeddedDatabases: Object.fromEntries(
      [...(databases ?? [])].map(([name, { appUrl, ownerUrl }]) => [name, { app: appUrl, owner: ownerUrl }]),
    ),
  };
}
