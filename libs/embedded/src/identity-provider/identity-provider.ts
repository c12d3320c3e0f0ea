import type { JWK } from 'jose';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider, type AccessToken, type Client, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { commandClient, developmentGrant, webClient } from './development-grant.ts';
import { memoryStore } from './memory-store.ts';
import { SIGN_IN_HEADERS, signInPage } from './sign-in-page.ts';

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
const refreshLifetimeSeconds = 14 * 24 * 60 * 60;

/** The API as a resource: OAuth wants a URI, and tokens bear the audience in its place. */
const RESOURCE = 'urn:platform:api';

const SIGN_IN_PATH = '/sign-in/';

/** What a form with an e-mail address and a name may have of bytes. */
const MAX_FORM_BYTES = 4_096;

/**
 * Starts a real OpenID provider on loopback, with discovery, key set and token endpoint. The token command, authenticated by
 * a secret in PLATFORM_HOME, asks for the person it wants to be. Pages on loopback sign people in by the authorization code
 * flow with PKCE, and whoever sits at this machine says who they are: there is no password.
 */
export async function startIdentityProvider(options: IdentityProviderOptions): Promise<IdentityProvider> {
  const issuer = `http://127.0.0.1:${String(options.port)}`;
  const people: People = new Map();
  const provider = new Provider(issuer, configuration(options, people));
  provider.registerGrantType<DevelopmentRequest>(developmentGrant, grantToken(provider, options.audience), parameters);
  allowLoopbackRedirects(provider);
  const handle = provider.callback();
  const server = createServer((request, response) => {
    if (!isLoopback(`http://${request.headers.host ?? ''}`)) {
      // A page elsewhere whose name has been pointed to this machine would read what it may not.
      response.writeHead(421).end();
    } else if (request.url?.startsWith(SIGN_IN_PATH) === true) {
      signIn(provider, people, request, response).catch(() => {
        if (!response.headersSent) response.writeHead(400, SIGN_IN_HEADERS);
        response.end(signInPage('This page is too old. Go back to where you came from, and sign in again.'));
      });
    } else void handle(request, response);
  });
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

interface Person {
  readonly email: string;
  readonly name: string;
}

/** Who has signed in since the start, by subject. */
type People = Map<string, Person>;

interface DevelopmentRequest {
  readonly email?: string;
  readonly name?: string;
  readonly org_id?: string;
}

function configuration(
  { audience, commandSecret, signingKey }: IdentityProviderOptions,
  people: People,
): Configuration {
  return {
    adapter: memoryStore(),
    jwks: { keys: [signingKey] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: [
      {
        client_id: commandClient,
        client_secret: commandSecret,
        grant_types: [developmentGrant],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: webClient,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: ['http://127.0.0.1/'],
      },
    ],
    cookies: { keys: [commandSecret] },
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile', 'offline_access'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Pages read who signed in from the ID token, as Keycloak lets them.
    conformIdTokenClaims: false,
    ttl: {
      AccessToken: tokenLifetimeSeconds,
      IdToken: tokenLifetimeSeconds,
      Session: tokenLifetimeSeconds,
      Grant: refreshLifetimeSeconds,
      RefreshToken: refreshLifetimeSeconds,
      Interaction: 60 * 60,
    },
    renderError: (context, { error, error_description: description }) => {
      context.type = 'text/plain; charset=utf-8';
      context.body = `${error}: ${description ?? ''}`;
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => resourceServer(audience),
      },
    },
    interactions: { url: (_context, { uid }) => `${SIGN_IN_PATH}${uid}` },
    clientBasedCORS: (_context, origin, { clientId }) => clientId === webClient && isLoopback(origin),
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    loadExistingGrant: consent,
    findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id, ...claimsOf(people.get(id)) }) }),
    extraTokenClaims: ({ oidc }, token) => {
      const person = 'accountId' in token ? people.get(token.accountId) : undefined;
      if ((token as AccessToken).gty !== developmentGrant) return claimsOf(person);
      const { email = '', name, org_id } = oidc.params as DevelopmentRequest;
      return {
        ...claimsOf({ email, name: name ?? nameFrom(email) }),
        ...(org_id === undefined ? {} : { org_id }),
      };
    },
  };
}

const claimsOf = (person: Person | undefined): Record<string, unknown> =>
  person === undefined ? {} : { ...person, email_verified: true };

const resourceServer = (audience: string) => ({
  audience,
  scope: '',
  accessTokenFormat: 'jwt' as const,
  jwt: { sign: { alg: 'ES256' as const } },
});

/** Nobody is asked whether this machine's own page may know them. */
const consent = async (context: KoaContextWithOIDC) => {
  const { client, provider, session } = context.oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const known = session.grantIdFor(client.clientId);
  // A code or a refresh token that is used twice takes the grant with it, and the session still names it.
  const kept = known === undefined ? undefined : await provider.Grant.find(known);
  if (kept !== undefined) return kept;
  const grant = new provider.Grant({ clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid email profile offline_access');
  grant.addResourceScope(RESOURCE, '');
  await grant.save();
  return grant;
};

/** Any port and any path: pages under development have both in many forms. */
function allowLoopbackRedirects(provider: Provider): void {
  // The command's client has none at all.
  const allowed = function (this: Client, address: string): boolean {
    return this.clientId === webClient && isLoopback(address);
  };
  Object.assign(provider.Client.prototype, { redirectUriAllowed: allowed, postLogoutRedirectUriAllowed: allowed });
}

function isLoopback(address: string): boolean {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) && url.username === '';
}

/** Shows the page that asks who somebody is, and takes its answer. */
async function signIn(
  provider: Provider,
  people: People,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Throws where the cookie and the address do not belong to one another.
  const { uid } = await provider.interactionDetails(request, response);
  if (request.url !== SIGN_IN_PATH + uid) throw new Error('another sign-in has been begun since');
  if (request.method !== 'POST') {
    response.writeHead(200, SIGN_IN_HEADERS).end(signInPage());
    return;
  }
  if (Number(request.headers['content-length'] ?? Infinity) > MAX_FORM_BYTES) throw new Error('no form of this page');
  const form = new URLSearchParams(await text(request));
  const email = form.get('email')?.trim() ?? '';
  if (!email.includes('@')) {
    response.writeHead(422, SIGN_IN_HEADERS).end(signInPage('Give an e-mail address.'));
    return;
  }
  const accountId = subjectFor(email);
  people.set(accountId, { email, name: form.get('name')?.trim() || nameFrom(email) });
  // Who is asked who they are is not asked besides whether the page may know it.
  await provider.interactionFinished(request, response, { login: { accountId }, consent: {} });
}

function grantToken(provider: Provider, audience: string) {
  return async (context: GrantContext): Promise<void> => {
    const { client, params } = context.oidc;
    if (params.email === undefined || !params.email.includes('@')) {
      context.status = 400;
      context.body = { error: 'invalid_request', error_description: 'email is missing' };
      return;
    }
    const token = new provider.AccessToken({
      client,
      accountId: subjectFor(params.email),
      resourceServer: new provider.ResourceServer(audience, resourceServer(audience)),
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

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
