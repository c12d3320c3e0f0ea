import { generateServiceKeys, type assertionVerifier } from '@platform-backend/auth';
import { startTestIdentityProvider, type TestIdentityProvider } from '@platform-backend/testing';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { startStandInIdentity, type StandInIdentity } from './stand-in-identity.ts';
import type { StandInOptions } from './stand-in-service.ts';

/** A gateway process with a stand-in identity service and an issuer of tokens. */
export interface PlatformUnderTest {
  readonly gateway: GatewayProcess;
  readonly identity: StandInIdentity;
  readonly issuer: TestIdentityProvider;
  /** What a service verifies the gateway's assertions with. */
  readonly publicKeys: Parameters<typeof assertionVerifier>[0]['keys'];
  /** The environment of the gateway, to start another replica with. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts identity again, on the address it had. */
  restartIdentity(options?: Pick<StandInOptions, 'clock'>): Promise<StandInIdentity>;
  /** A request with Ada's token, unless `headers` say otherwise; redirects are not followed. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
}

export async function startPlatform(env: Readonly<Record<string, string>> = {}): Promise<PlatformUnderTest> {
  const [{ privateKeys, publicKeys }, issuer] = await Promise.all([
    generateServiceKeys(['gateway']),
    startTestIdentityProvider(),
  ]);
  let identity = await startStandInIdentity({ publicKeys });
  const gatewayEnv = {
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
  };
  const gateway = await startGatewayProcess(gatewayEnv);
  const token = await issuer.token();

  return {
    gateway,
    get identity() {
      return identity;
    },
    issuer,
    publicKeys,
    env: gatewayEnv,
    restartIdentity: async (options) => {
      identity = await startStandInIdentity({ publicKeys, listen: identity.address, ...options });
      return identity;
    },
    fetch: (path, init = {}) =>
      fetch(gateway.url + path, {
        redirect: 'manual',
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
      }),
    stop: async () => {
      await Promise.all([gateway.stop(), identity.stop(), issuer.stop()]);
    },
  };
}
