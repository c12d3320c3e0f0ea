import { privateKeySettings, TOKEN_ALGORITHMS } from '@platform-backend/auth';
import {
  ConfigurationError,
  flag,
  integer,
  list,
  logLevel,
  optional,
  port,
  readConfiguration,
  renamedProblems,
  secretText,
  serviceAddress,
  someOf,
  text,
  url,
  type Configuration,
  type Setting,
} from '@platform-backend/core';
import { tlsSettings, tracingSettings } from '@platform-backend/grpc';
import path from 'node:path';
import { parseAddressRange, type AddressRange } from './exchange/client-address.ts';

/**
 * What the gateway reads from its environment, apart from the settings of the policies: those stand
 * in config/gateway.config.yml, which names its own variables.
 */
const settings = {
  // The first two are read by gateway.config.yml as well; here they are checked.
  PLATFORM_PORT: port({ default: 8080, description: 'where it listens; 0 takes any free one' }),
  GATEWAY_HOST: text({ default: '127.0.0.1', description: 'the interface that it listens on' }),
  GATEWAY_METRICS_PORT: port({
    default: 0,
    defaultDescription: 'any free one',
    description: 'where Prometheus finds `/metrics`',
  }),
  GATEWAY_CONFIG_DIRECTORY: text({
    default: path.join(import.meta.dirname, '../config'),
    defaultDescription: '`apps/gateway/config`',
    description: 'the folder with another `gateway.config.yml`: which policies a request passes, in which order',
  }),

  OIDC_ISSUER: url({
    example: 'https://login.example.com',
    description: 'whose access tokens are good',
  }),
  OIDC_AUDIENCE: text({
    example: 'platform-api',
    description: 'the name of the API in these tokens, which no client of the issuer bears',
  }),
  OIDC_JWKS_URL: optional(url({ defaultDescription: 'by discovery', description: 'where the keys of the issuer are' })),
  OIDC_LOGOUT_CLIENTS: list({
    default: [],
    defaultDescription: 'none, and the path is 404',
    example: 'platform-web',
    description:
      'the clients whose logout the issuer tells at `/openid/back-channel-logout`, by their ids, separated by commas',
  }),
  OIDC_ALGORITHMS: someOf(TOKEN_ALGORITHMS, {
    default: TOKEN_ALGORITHMS,
    defaultDescription: 'all of them',
    example: 'RS256,ES256',
    description: 'the signature algorithms of tokens that are accepted; there are no others',
  }),

  ...privateKeySettings,
  CURSOR_KEY: secretText('seals page cursors and `Idempotency-Key`s; the same on every replica'),
  CURSOR_KEY_OTHER: optional(
    secretText(
      'the key before `CURSOR_KEY`, or the one to come, while it is replaced: what it has sealed counts as well',
    ),
  ),
  NATS_URL: optional(
    url({
      protocols: ['nats', 'tls'],
      example: 'nats://127.0.0.1:4222',
      description: 'NATS, as the user `gateway`: with it revocations take effect at once instead of within 2 s',
    }),
  ),
  ...tlsSettings,

  GATEWAY_DOCS: flag({ default: true, description: 'whether `/docs` shows the interface and the guides' }),
  GATEWAY_DOCS_CLIENT_ID: optional(
    text({
      example: 'platform-web',
      description:
        'a public client of the issuer, with which people sign in at `/docs`; it may redirect to `/docs/oauth2-redirect.html` of this server',
    }),
  ),

  GATEWAY_JSON_NESTING: integer({
    default: 64,
    min: 1,
    max: 64,
    description: 'how deep a JSON body may be nested; beyond it 400',
  }),

  GATEWAY_CALLER_LIMIT: integer({
    default: 600,
    min: 1,
    description: 'requests of one credential within a minute; beyond them 429; without NATS each gateway counts alone',
  }),
  GATEWAY_CALLER_BURST: integer({
    default: 100,
    min: 1,
    description:
      'requests of one credential at once; beyond them 429; several gateways know of each other after a tenth of a second',
  }),
  GATEWAY_CALLER_LOOK_UP_MS: integer({
    default: 1_400,
    min: 1,
    description:
      'milliseconds in which identity must have said who calls; beyond them 503. More than 1500 lengthens the 2 s in which whoever is removed loses access while NATS is away',
  }),
  GATEWAY_MAX_CALLS_IN_FLIGHT: integer({
    default: 2_000,
    min: 1,
    description:
      'calls of all that wait for a service at once; beyond them 503, and beyond half of them no organisation gets more than its share',
  }),
  GATEWAY_MAX_EVENT_LOOP_LAG_MS: integer({
    default: 500,
    min: 1,
    description:
      'milliseconds that the process may be late in looking at a connection; beyond them fewer calls are let in',
  }),

  GATEWAY_OPEN_OPERATIONS: list({
    default: [],
    example: 'billing.PaymentMethodService/CreateSetupIntent',
    description:
      'operations that are open without a credential, such as `billing.PaymentMethodService/CreateSetupIntent`: those that the contract calls openable',
  }),
  GATEWAY_OPEN_ADDRESS_LIMIT: integer({
    default: 5,
    min: 1,
    description: 'how often an hour these may be called from one address; without NATS each gateway counts alone',
  }),
  GATEWAY_OPEN_TOTAL_LIMIT: integer({
    default: 100,
    min: 1,
    description: 'how often an hour these may be called from all addresses; without NATS each gateway counts alone',
  }),
  GATEWAY_TRUSTED_PROXIES: addressRanges('addresses and ranges whose `X-Forwarded-For` is believed'),

  GATEWAY_HEADERS_TIMEOUT_MS: integer({
    default: 15_000,
    min: 1,
    description: 'milliseconds in which a client must have sent its headers',
  }),
  GATEWAY_REQUEST_TIMEOUT_MS: integer({
    default: 120_000,
    min: 1,
    description: 'milliseconds in which a client must have sent its whole request',
  }),
  GATEWAY_KEEP_ALIVE_MS: integer({
    default: 65_000,
    min: 1,
    description:
      'milliseconds after which an idle connection is closed: longer than load balancers keep theirs, so that it is never we who close first',
  }),
  GATEWAY_DRAIN_DELAY_MS: integer({
    default: 0,
    min: 0,
    description:
      'on SIGTERM, milliseconds between "not ready" and the closed door: load balancers look elsewhere, and each answer closes the connection that its client kept alive',
  }),
  GATEWAY_DRAIN_LIMIT_MS: integer({
    default: 10_000,
    min: 1,
    description: 'on SIGTERM, most milliseconds for requests in flight after that',
  }),

  GATEWAY_STREAM_CALLER_LIMIT: integer({
    default: 50,
    min: 1,
    description:
      'streams of one credential open at once; uploads and downloads by ticket: of one organisation at one address',
  }),
  GATEWAY_STREAM_ORGANISATION_LIMIT: integer({
    default: 500,
    min: 1,
    description: 'streams and WebSockets of all credentials of one organisation open at once',
  }),
  GATEWAY_STREAM_ADDRESS_LIMIT: integer({ default: 200, min: 1, description: 'streams of one address open at once' }),
  GATEWAY_STREAM_TOTAL_LIMIT: integer({ default: 2_000, min: 1, description: 'streams of all open at once' }),
  GATEWAY_STREAM_DEADLINE_MS: integer({
    default: 3_600_000,
    min: 1,
    description: 'milliseconds: the longest life of a stream',
  }),
  GATEWAY_STREAM_IDLE_MS: integer({
    default: 300_000,
    min: 1,
    description: 'milliseconds: how long nothing may move on a stream',
  }),
  GATEWAY_STREAM_HEARTBEAT_MS: integer({
    default: 15_000,
    min: 1,
    description: 'milliseconds: after so much silence an event stream shows that it lives',
  }),

  ...tracingSettings,
  LOG_LEVEL: logLevel(),
} as const;

/** Of settings of policies, which gateway.config.yml reads. */
const FORMER_POLICY_VARIABLES = {
  GATEWAY_HELD_LIMIT_BYTES: 'GATEWAY_BODY_MEMORY_LIMIT_BYTES',
  GATEWAY_HELD_CALLER_LIMIT_BYTES: 'GATEWAY_BODY_MEMORY_CALLER_LIMIT_BYTES',
  GATEWAY_HELD_ADDRESS_LIMIT_BYTES: 'GATEWAY_BODY_MEMORY_ADDRESS_LIMIT_BYTES',
};

export type GatewayConfiguration = Configuration<typeof settings> & {
  /** Where each service is that has an address, by the domain its protos name: `identity`. */
  readonly addresses: ReadonlyMap<string, string>;
};

/**
 * Reads the environment once. A new domain in the protos needs no change here: its service is found
 * through `<DOMAIN>_ADDRESS`.
 *
 * @throws ConfigurationError naming everything that is wrong, at once.
 */
export function readGatewayConfiguration(env: NodeJS.ProcessEnv, domains: Iterable<string>): GatewayConfiguration {
  const renamed = renamedProblems(env, FORMER_POLICY_VARIABLES);
  if (renamed.length > 0) throw new ConfigurationError(renamed);
  const configuration = readConfiguration(env, gatewaySettings(domains));
  const addresses = new Map<string, string>();
  for (const domain of domains) {
    const address = (configuration as Record<string, unknown>)[`${domain.toUpperCase()}_ADDRESS`];
    if (typeof address === 'string') addresses.set(domain, address);
  }
  return { ...configuration, addresses };
}

/** Every variable that the gateway reads itself, where these are the domains of the protos. */
export function gatewaySettings(domains: Iterable<string>) {
  const addresses = Object.fromEntries(
    [...domains].map((domain) => {
      const description = `where ${domain} is; without it its operations are 503`;
      return [`${domain.toUpperCase()}_ADDRESS`, optional(serviceAddress({ description }))] as const;
    }),
  );
  return { ...addresses, ...settings };
}

function addressRanges(description: string): Setting<readonly AddressRange[]> {
  const texts = list();
  return {
    parse: (value) => {
      const ranges = texts.parse(value)?.map(parseAddressRange);
      return ranges?.every((range) => range !== undefined) ? ranges : undefined;
    },
    mustBe: 'IP addresses and CIDR ranges separated by commas',
    example: '10.0.0.0/8,2001:db8::7',
    fallback: { value: [] },
    description,
  };
}
