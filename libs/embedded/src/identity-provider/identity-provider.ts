import type { JWK } from 'jose';
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Adapter, type Client, type Configuration } from 'oidc-provider';
import { commandClient, developmentGrant } from './development-grant.ts';

export interface IdentityProviderOptions {
  /** The port in the issuer's name. If it is taken now, the provider listens on another. */
  readonly port: number;
  /** `aud` of the access tokens. */
  readonly audience: string;
  readonly signingKey: JWK;
  /** Whoever knows it may have a token for any e-mail address. */
  readonly commandSecret: string;
}

export interface IdentityProvider {
  /** `iss` of the tokens. */
  readonly issuer: string;
  readonly tokenEndpoint: string;
  readonly jwksUrl: string;
  /** The issuer's name does not lead here, because its port is taken by another program. */
  readonly isElsewhere: boolean;
  readonly stop: () => Promise<void>;
}

const parameters = ['email', 'name', 'org_id'];

const tokenLifetimeSeconds = 12 * 60 * 60;

/**
 * Starts a real OpenID provider on loopback, with discovery, key set and token endpoint. There is no
 * login page: the token command, authenticated by a secret in PLATFORM_HOME, asks for the person it
 * wants to be.
 */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const issuer = `http://127.0.0.1:${String(options.port)}`;
  const provider = new Provider(issuer, configuration(options));
  provider.registerGrantType<DevelopmentRequest>(developmentGrant, grantToken(provider, options.audience), parameters);
  const handle = provider.callback();
  const server = createServer((request, response) => void handle(request, response));
  await listen(server, options.port).catch(() => listen(server, 0));
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${String(port)}`;
  return {
    issuer,
    tokenEndpoint: `${address}/token`,
    jwksUrl: `${address}/jwks`,
    isElsewhere: port !== options.port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface DevelopmentRequest {
  readonly email?: string;
  readonly name?: string;
  readonly org_id?: string;
}

function configuration(options: IdentityProviderOptions): Configuration {
  return {
    adapter: NothingToKeep,
    jwks: { keys: [options.signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: [
      {
        client_id: commandClient,
        client_secret: options.commandSecret,
        grant_types: [developmentGrant],
        redirect_uris: [],
        response_types: [],
      },
    ],
    // Never used, as there is no login page and so no cookie; the provider insists on a key.
    cookies: { keys: [options.commandSecret] },
    ttl: { AccessToken: tokenLifetimeSeconds },
    features: { devInteractions: { enabled: false }, userinfo: { enabled: false } },
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
    extraTokenClaims: ({ oidc }) => {
      const { email = '', name, org_id } = oidc.params as DevelopmentRequest;
      return {
        email,
        email_verified: true,
        name: name ?? nameFrom(email),
        ...(org_id === undefined ? {} : { org_id }),
      };
    },
  };
}

function grantToken(provider: Provider, audience: string) {
  return async (context: GrantContext): Promise<void> => {
    const { client, params } = context.oidc;
    if (params.email === undefined || !params.email.includes('@')) {
      context.status = 400;
      context.body = { error: 'invalid_request', error_description: 'email is missing' };
      return;
    }
    const resourceServer = new provider.ResourceServer(audience, {
      audience,
      scope: '',
      accessTokenFormat: 'jwt',
      jwt: { sign: { alg: 'ES256' } },
    });
    const token = new provider.AccessToken({
      client,
      accountId: subjectFor(params.email),
      resourceServer,
      grantId: 'development',
      gty: developmentGrant,
    });
    const accessToken = await token.save();
    context.body = { access_token: accessToken, token_type: 'Bearer', expires_in: tokenLifetimeSeconds };
  };
}

interface GrantContext {
  status: number;
  body: unknown;
  readonly oidc: { readonly client: Client; readonly params: DevelopmentRequest };
}

/** The same person has the same subject in every start and every home. Only A to Z lose their case: KELVIN SIGN is no k. */
function subjectFor(email: string): string {
  const address = email.trim().replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return `local|${createHash('sha256').update(address).digest('hex').slice(0, 24)}`;
}

/** ada.lovelace@example.com is Ada Lovelace. */
function nameFrom(email: string): string {
  const words = (email.split('@')[0] ?? '').split(/[._+-]+/).filter((word) => word !== '');
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** Access tokens are JWTs and there are no sessions, so the provider has nothing to store. */
class NothingToKeep implements Adapter {
  readonly upsert = nothing;
  readonly find = nothing;
  readonly findByUserCode = nothing;
  readonly findByUid = nothing;
  readonly consume = nothing;
  readonly destroy = nothing;
  readonly revokeByGrantId = nothing;
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
