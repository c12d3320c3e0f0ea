import { freePort } from '@platform-backend/embedded';
import {
  exportJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  SignJWT,
  type CryptoKey,
  type JWK,
  type JWTHeaderParameters,
} from 'jose';
import { createServer, type Server } from 'node:http';

/** The algorithms of decision D12. */
export type SigningAlgorithm = 'RS256' | 'ES256' | 'EdDSA';

export interface SigningKey {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
  /** PEM texts, for forgeries such as HS256 keyed with the public key. */
  readonly publicPem: string;
  readonly privatePem: string;
}

export interface TokenRequest {
  /** Replaces or adds claims; `undefined` removes one. Times are seconds since 1970. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Replaces or adds protected header fields; `undefined` removes one. */
  readonly header?: Readonly<Record<string, unknown>>;
  /** Signs with this key, published or not. Defaults to the newest published key. */
  readonly key?: SigningKey;
}

export interface TestIdentityProvider {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly audience: string;
  /** How often the key set was fetched, to test caching and cool-down. */
  readonly jwksRequests: number;
  /** A good access token: all claims present, valid for an hour; the request changes what a test needs. */
  readonly token: (request?: TokenRequest) => Promise<string>;
  /** A key that is not published yet. */
  readonly newKey: (algorithm?: SigningAlgorithm, kid?: string) => Promise<SigningKey>;
  /** Publishes a key beside the others; tokens are signed with it from now on. */
  readonly publish: (key: SigningKey) => void;
  /** Publishes a new key and withdraws all earlier ones. */
  readonly rotate: (algorithm?: SigningAlgorithm) => Promise<SigningKey>;
  /** Every request is answered with this status until `undefined` is set. */
  readonly failWith: (status: number | undefined) => void;
  /** Goes down: connections are refused. */
  readonly stop: () => Promise<void>;
  /** Comes back on the same address. */
  readonly start: () => Promise<void>;
}

export interface TestIdentityProviderOptions {
  readonly audience?: string;
  readonly algorithm?: SigningAlgorithm;
}

/** A real OpenID issuer over HTTP with discovery and key set that signs whatever a test asks for. */
export async function startTestIdentityProvider(
  options: TestIdentityProviderOptions = {},
): Promise<TestIdentityProvider> {
  const { audience = 'platform', algorithm = 'RS256' } = options;
  let keys = [await makeKey(algorithm)];
  let failure: number | undefined;
  let jwksRequests = 0;
  let server: Server | undefined;
  // One that nobody takes while it is down.
  const port = await freePort();

  const answer = (path: string | undefined): { status: number; body: unknown } => {
    if (path === '/jwks') jwksRequests += 1;
    if (failure !== undefined) return { status: failure, body: { error: 'server_error' } };
    if (path === '/jwks') return { status: 200, body: { keys: keys.map(({ publicJwk }) => publicJwk) } };
    if (path === '/.well-known/openid-configuration') return { status: 200, body: discovery(issuer()) };
    return { status: 404, body: { error: 'not_found' } };
  };
  const issuer = (): string => `http://127.0.0.1:${String(port)}`;

  const provider: TestIdentityProvider = {
    get issuer() {
      return issuer();
    },
    get jwksUrl() {
      return `${issuer()}/jwks`;
    },
    get jwksRequests() {
      return jwksRequests;
    },
    audience,
    async token({ claims = {}, header = {}, key = newest(keys) } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const payload = without({
        iss: issuer(),
        aud: audience,
        sub: 'user-ada',
        email: 'ada@example.com',
        email_verified: true,
        name: 'Ada',
        iat: now,
        nbf: now,
        exp: now + 3600,
        ...claims,
      });
      const protectedHeader = without({ alg: key.algorithm, kid: key.kid, typ: 'at+jwt', ...header });
      return await new SignJWT(payload)
        .setProtectedHeader(protectedHeader as unknown as JWTHeaderParameters)
        .sign(key.privateKey);
    },
    newKey: (algorithmOfKey = algorithm, kid) => makeKey(algorithmOfKey, kid),
    publish(key) {
      keys = [...keys, key];
    },
    async rotate(algorithmOfKey = algorithm) {
      const key = await makeKey(algorithmOfKey);
      keys = [key];
      return key;
    },
    failWith(status) {
      failure = status;
    },
    async stop() {
      const closing = server;
      server = undefined;
      if (!closing) return;
      await new Promise((resolve) => {
        closing.close(resolve);
        closing.closeAllConnections();
      });
    },
    async start() {
      if (server) return;
      const starting = createServer((request, response) => {
        const { status, body } = answer(request.url);
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
      await new Promise<void>((resolve, reject) => {
        starting.once('error', reject);
        starting.listen(port, '127.0.0.1', resolve);
      });
      // A test that forgets to stop the issuer should not hang.
      starting.unref();
      server = starting;
    },
  };
  await provider.start();
  return provider;
}

async function makeKey(algorithm: SigningAlgorithm, kid: string = crypto.randomUUID()): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    kid,
    algorithm,
    privateKey,
    publicJwk: { ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' },
    publicPem: await exportSPKI(publicKey),
    privatePem: await exportPKCS8(privateKey),
  };
}

function newest(keys: readonly SigningKey[]): SigningKey {
  const key = keys.at(-1);
  if (!key) throw new Error('the issuer publishes no key');
  return key;
}

function without(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function discovery(issuer: string): Record<string, unknown> {
  return {
    issuer,
    jwks_uri: `${issuer}/jwks`,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
  };
}
