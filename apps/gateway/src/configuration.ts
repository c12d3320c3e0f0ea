import { privateKeySettings, TOKEN_ALGORITHMS } from '@platform-backend/auth';
import {
  integer,
  list,
  logLevel,
  optional,
  port,
  readConfiguration,
  secret,
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
  PLATFORM_PORT: port({ default: 8080 }),
  GATEWAY_HOST: text({ default: '127.0.0.1' }),
  GATEWAY_METRICS_PORT: port({ default: 0 }),
  /** Where gateway.config.yml is; the one beside the source unless given. */
  GATEWAY_CONFIG_DIRECTORY: text({ default: path.join(import.meta.dirname, '../config') }),

  OIDC_ISSUER: url({ example: 'https://login.example.com' }),
  OIDC_AUDIENCE: text({ example: 'platform-api' }),
  OIDC_JWKS_URL: optional(url()),
  /** The signature algorithms of tokens that are accepted. */
  OIDC_ALGORITHMS: someOf(TOKEN_ALGORITHMS, { default: TOKEN_ALGORITHMS, example: 'RS256,ES256' }),

  ...privateKeySettings,
  /** Signs page cursors; the same on every replica. */
  CURSOR_KEY: secret(text({ mustBe: 'text of at least 16 characters', pattern: /^.{16,}$/s })),
  NATS_URL: optional(url({ protocols: ['nats', 'tls'], example: 'nats://127.0.0.1:4222' })),
  ...tlsSettings,

  /** How deep JSON may be nested. No service takes more than is usual. */
  GATEWAY_JSON_NESTING: integer({ default: 64, min: 1, max: 64 }),

  /** Requests of one credential within a minute, and how many of them at once. */
  GATEWAY_CALLER_LIMIT: integer({ default: 600, min: 1 }),
  GATEWAY_CALLER_BURST: integer({ default: 100, min: 1 }),

  /** Operations of the contract that callers without a credential may call here; see openOperations. */
  GATEWAY_OPEN_OPERATIONS: list({ default: [], example: 'billing.PaymentMethodService/CreateSetupIntent' }),
  /** How often within an hour they may: from one address, and from all of them. */
  GATEWAY_OPEN_ADDRESS_LIMIT: integer({ default: 5, min: 1 }),
  GATEWAY_OPEN_TOTAL_LIMIT: integer({ default: 100, min: 1 }),
  /** Whose X-Forwarded-For is believed. */
  GATEWAY_TRUSTED_PROXIES: addressRanges(),

  /** Milliseconds in which a client must have sent its headers, and its whole request. */
  GATEWAY_HEADERS_TIMEOUT_MS: integer({ default: 15_000, min: 1 }),
  GATEWAY_REQUEST_TIMEOUT_MS: integer({ default: 120_000, min: 1 }),
  /** Longer than load balancers keep idle connections, so that it is never we who close first. */
  GATEWAY_KEEP_ALIVE_MS: integer({ default: 65_000, min: 1 }),
  /** Milliseconds between "not ready" and the closed door, for load balancers to look elsewhere. */
  GATEWAY_DRAIN_DELAY_MS: integer({ default: 0, min: 0 }),
  /** Milliseconds that requests in flight get after that. */
  GATEWAY_DRAIN_LIMIT_MS: integer({ default: 10_000, min: 1 }),

  /** Streams open at once: of one credential, from one address, of all. */
  GATEWAY_STREAM_CALLER_LIMIT: integer({ default: 50, min: 1 }),
  GATEWAY_STREAM_ADDRESS_LIMIT: integer({ default: 200, min: 1 }),
  GATEWAY_STREAM_TOTAL_LIMIT: integer({ default: 2_000, min: 1 }),
  /** Milliseconds: a stream's longest life, how long nothing may move on it, and after which silence it shows that it lives. */
  GATEWAY_STREAM_DEADLINE_MS: integer({ default: 3_600_000, min: 1 }),
  GATEWAY_STREAM_IDLE_MS: integer({ default: 300_000, min: 1 }),
  GATEWAY_STREAM_HEARTBEAT_MS: integer({ default: 15_000, min: 1 }),

  ...tracingSettings,
  LOG_LEVEL: logLevel(),
} as const;

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
  const addressSettings = Object.fromEntries(
    [...domains].map((domain) => [`${domain.toUpperCase()}_ADDRESS`, optional(serviceAddress())]),
  );
  const configuration = readConfiguration(env, { ...addressSettings, ...settings });
  const addresses = new Map<string, string>();
  for (const domain of domains) {
    const address = (configuration as Record<string, unknown>)[`${domain.toUpperCase()}_ADDRESS`];
    if (typeof address === 'string') addresses.set(domain, address);
  }
  return { ...configuration, addresses };
}

function addressRanges(): Setting<readonly AddressRange[]> {
  const texts = list();
  return {
    parse: (value) => {
      const ranges = texts.parse(value)?.map(parseAddressRange);
      return ranges?.every((range) => range !== undefined) ? ranges : undefined;
    },
    mustBe: 'IP addresses and CIDR ranges separated by commas',
    example: '10.0.0.0/8,2001:db8::7',
    fallback: { value: [] },
  };
}
