import { generateServiceKeys, type assertionVerifier } from '@platform-backend/auth';
import { startTestIdentityProvider, type TestIdentityProvider } from '@platform-backend/testing';
import { startGatewayHere, type Gateway } from './gateway-here.ts';
import { startStandInIdentity, type StandInIdentity } from './stand-in-identity.ts';
import type { StandInOptions } from './stand-in-service.ts';

/** What a gateway needs: a stand-in identity service and an issuer of tokens. */
export interface PlatformContext {
  readonly identity: StandInIdentity;
  readonly issuer: TestIdentityProvider;
  /** What a service verifies the gateway's assertions with. */
  readonly publicKeys: Parameters<typeof assertionVerifier>[0]['keys'];
  /** The environment of a gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts identity again, on the address it had. */
  restartIdentity(options?: Pick<StandInOptions, 'clock'>): Promise<StandInIdentity>;
  stop(): Promise<void>;
}

/** A gateway with what it needs. */
export interface PlatformUnderTest<Kind extends Gateway = Gateway> extends PlatformContext {
  readonly gateway: Kind;
  /** A request with Ada's token, unless `headers` say otherwise; redirects are not followed. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export async function startPlatformContext(env: Readonly<Record<string, string>> = {}): Promise<PlatformContext> {
  const [{ privateKeys, publicKeys }, issuer] = await Promise.all([
    generateServiceKeys(['gateway']),
    startTestIdentityProvider(),
  ]);
  let identity = await startStandInIdentity({ publicKeys });
  return {
    get identity() {
      return identity;
    },
    issuer,
    publicKeys,
    env: {
      OIDC_ISSUER: issuer.issuer,
      OIDC_AUDIENCE: issuer.audience,
      IDENTITY_ADDRESS: identity.address,
      SERVICE_PRIVATE_KEY: JSON.stringify(privateKeys.gateway),
      CURSOR_KEY: 'a cursor key for tests',
      // Tests ask as fast as they can.
      GATEWAY_CALLER_BURST: '1000000',
      GATEWAY_MAX_EVENT_LOOP_LAG_MS: '600000',
      // A busy machine is no reason to refuse anything.
      GATEWAY_DEADLINE_MS: '60000',
      GATEWAY_READ_DEADLINE_MS: '60000',
      GATEWAY_CALLER_LOOK_UP_MS: '60000',
      ...env,
    },
    restartIdentity: async (options) => {
      identity = await startStandInIdentity({ publicKeys, listen: identity.address, ...options });
      return identity;
    },
    stop: async () => {
      await Promise.all([identity.stop(), issuer.stop()]);
    },
  };
}

/** The gateway is in this process, unless `start` is how one comes to be elsewhere. */
export function startPlatform(env?: Readonly<Record<string, string>>): Promise<PlatformUnderTest>;
export function startPlatform<Kind extends Gateway>(
  env: Readonly<Record<string, string>>,
  start: (env: Readonly<Record<string, string>>) => Promise<Kind>,
): Promise<PlatformUnderTest<Kind>>;
export async function startPlatform(
  env: Readonly<Record<string, string>> = {},
  start: (env: Readonly<Record<string, string>>) => Promise<Gateway> = startGatewayHere,
): Promise<PlatformUnderTest> {
  const context = await startPlatformContext(env);
  const gateway = await start(context.env);
  const token = await context.issuer.token();
  const { issuer, publicKeys, env: gatewayEnv } = context;
  return {
    gateway,
    get identity() {
      return context.identity;
    },
    ...{ issuer, publicKeys, env: gatewayEnv },
    restartIdentity: (options) => context.restartIdentity(options),
    fetch: (path, init = {}) =>
      fetch(gateway.url + path, {
        redirect: 'manual',
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
      }),
    stop: async () => {
      await Promise.all([gateway.stop(), context.stop()]);
    },
  };
}
