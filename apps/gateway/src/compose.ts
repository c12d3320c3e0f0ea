import { callerAssertions, tokenVerifier } from '@platform-backend/auth';
import type { Contract } from '@platform-backend/contract';
import { compileRoutes } from '@platform-backend/contract/http';
import { DomainError, type Logger } from '@platform-backend/core';
import type { AccessLog } from '@platform-backend/core/access-log';
import { openBroadcast, openEventBus } from '@platform-backend/events';
import { errorOfChange, GATEWAY, isToldByService, openServiceChannel, tlsFrom } from '@platform-backend/grpc';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BACK_CHANNEL_LOGOUT_PATH, backChannelLogout } from './authentication/back-channel-logout.ts';
import { callerCache } from './authentication/caller-cache.ts';
import { callerLimit } from './authentication/caller-limit.ts';
import { delayedRefusals } from './authentication/delayed-refusals.ts';
import { identityDirectory } from './authentication/identity-directory.ts';
import { callerResolver } from './authentication/resolve-caller.ts';
import { followRevocations } from './authentication/revocations.ts';
import type { GatewayConfiguration } from './configuration.ts';
import { COUNTS, eventAccess } from './event-access.ts';
import { answerError } from './exchange/answer.ts';
import { clientAddresses } from './exchange/client-address.ts';
import { Exchange } from './exchange/exchange.ts';
import { callSemaphore } from './limits/call-semaphore.ts';
import { concurrencyLimit } from './limits/concurrency-limit.ts';
import { watchEventLoopLag } from './limits/event-loop-lag.ts';
import { sharedCounts } from './limits/shared-counts.ts';
import type { IdentityHealth } from './observability/health.ts';
import type { GatewayMetrics } from './observability/metrics.ts';
import type { Tracing } from './observability/tracing.ts';
import { addressLimit } from './open-operations/address-limit.ts';
import { openOperations } from './open-operations/open-operations.ts';
import type { Fail, PolicyDefinition } from './pipeline/policy.ts';
import { reauthorise, authenticatePolicy } from './policies/authenticate.ts';
import { corsPolicy } from './policies/cors.ts';
import { loadSheddingPolicy } from './policies/load-shedding.ts';
import { quotaPolicy } from './policies/quota.ts';
import { requestContextPolicy } from './policies/request-context.ts';
import { transcodePolicy } from './policies/transcode.ts';
import { billingQuotas, type BillingQuotas } from './quota/billing-quotas.ts';
import { quotaBook } from './quota/quota-book.ts';
import { openStreams } from './transcode/open-streams.ts';
import { targetFinder } from './transcode/target.ts';

/**
 * A caller is asked for again at least this often, in milliseconds. It leaves half a second of the
 * 2 s in which a revoked key or a removed member must lose access even when no event arrives.
 */
const CALLER_MAX_AGE_MS = 1_500;
const CALLER_REFRESH_AFTER_MS = 1_000;
/** About 1 KiB each. */
const MAX_CALLERS = 10_000;
/**
 * Eight calls that a process has in hand are a wait of a few milliseconds for the next one, and enough for a page that asks for thirty things
 * at once. What lasts longer than 50 ms waits for something itself. Somebody who comes once a second or more often finds the others in turns.
 */
const CALL_SEMAPHORE = { maxCalls: 8, holdMs: 50, aloneAfterMs: 1_000 };
/** So that whoever tries again at once does so four times a second on each connection. */
const REFUSALS = { delayMs: 250, maxHeld: 1_000 };

export interface ComposeOptions {
  readonly configuration: GatewayConfiguration;
  readonly contract: Contract;
  readonly logger: Logger;
  /** For the line at the end of each request; see `accessLogOf` in libs/core. */
  readonly accessLog: AccessLog;
  readonly metrics: GatewayMetrics;
  readonly tracing: Tracing | undefined;
}

export interface Composition {
  readonly policies: readonly PolicyDefinition[];
  /** What is posted to the gateway itself, by exact path. */
  readonly posts: ReadonlyMap<string, (exchange: Exchange) => void>;
  /** The exchange of a request; the same one however often it is asked for. */
  readonly exchangeOf: (request: IncomingMessage, response: ServerResponse) => Exchange;
  /** Whether the connection of a request may become a WebSocket; any other upgrade is not taken notice of. */
  readonly takesUpgrade: (request: IncomingMessage) => boolean;
  readonly fail: Fail;
  readonly identityHealthy: (timeoutMs: number) => Promise<IdentityHealth>;
  /** Ends the streams that are open, each with a last word. */
  readonly endStreams: () => void;
  /** Ends the connections to the services and to NATS. */
  readonly close: () => Promise<void>;
}

/** The only place that calls constructors. Nothing is connected yet: that happens with the first request. */
export function composeGateway({
  configuration,
  contract,
  logger,
  accessLog,
  metrics,
  tracing,
}: ComposeOptions): Composition {
  // First, as it may refuse: nothing that would have to be closed is there yet.
  const operations = openOperations(contract.operations, configuration.GATEWAY_OPEN_OPERATIONS);
  const routes = compileRoutes(
    { ...contract, operations },
    {
      cursorKey: configuration.CURSOR_KEY,
      otherCursorKey: configuration.CURSOR_KEY_OTHER,
      maxNesting: configuration.GATEWAY_JSON_NESTING,
    },
  );
  const tls = tlsFrom(configuration);
  const channels = new Map(
    [...configuration.addresses].map(([domain, address]) => [
      domain,
      openServiceChannel(address, { tls, operations: operations.filter((operation) => operation.domain === domain) }),
    ]),
  );
  const semaphores = new Map([...channels.keys()].map((domain) => [domain, callSemaphore(CALL_SEMAPHORE)]));
  const identityAddress = configuration.addresses.get('identity');

  const fail = failureAnswer(logger);
  const assertions = callerAssertions({ service: GATEWAY, privateKey: configuration.SERVICE_PRIVATE_KEY });
  const identity = identityDirectory({
    address: identityAddress,
    assertions,
    tls,
    // A look-up that takes longer fails, so that an old answer cannot arrive late.
    timeoutMs: configuration.GATEWAY_CALLER_LOOK_UP_MS,
  });
  const callers = callerCache({
    maxAgeMs: CALLER_MAX_AGE_MS,
    refreshAfterMs: CALLER_REFRESH_AFTER_MS,
    maxEntries: MAX_CALLERS,
  });
  metrics.observeCallers(() => callers.size);
  const { NATS_URL: natsUrl } = configuration;
  const bus = natsUrl === undefined ? undefined : openEventBus({ servers: natsUrl, name: eventAccess.service, logger });
  const stopFollowing = bus && followRevocations({ bus, callers, logger, revoked: () => metrics.callersRevoked() });
  const { OIDC_ISSUER: issuer, OIDC_LOGOUT_CLIENTS: clientIds } = configuration;
  const tokens = tokenVerifier({
    issuer,
    audience: configuration.OIDC_AUDIENCE,
    jwksUrl: configuration.OIDC_JWKS_URL,
    algorithms: configuration.OIDC_ALGORITHMS,
    logger,
  });
  const resolveCaller = callerResolver({
    tokens,
    issuer,
    identity,
    assertions,
    cache: callers,
    lookedUp: (outcome) => metrics.callerLookedUp(outcome),
  });
  const streams = openStreams({
    limits: {
      total: configuration.GATEWAY_STREAM_TOTAL_LIMIT,
      caller: configuration.GATEWAY_STREAM_CALLER_LIMIT,
      organisation: configuration.GATEWAY_STREAM_ORGANISATION_LIMIT,
      network: configuration.GATEWAY_STREAM_ADDRESS_LIMIT,
    },
    idleMs: configuration.GATEWAY_STREAM_IDLE_MS,
    heartbeatMs: configuration.GATEWAY_STREAM_HEARTBEAT_MS,
    admit: reauthorise(resolveCaller),
    fail,
  });
  metrics.observeStreams(() => streams.size);
  const clientAddressOf = clientAddresses(configuration.GATEWAY_TRUSTED_PROXIES);
  const limitCaller = callerLimit({
    perMinute: configuration.GATEWAY_CALLER_LIMIT,
    burst: configuration.GATEWAY_CALLER_BURST,
    maxCallers: MAX_CALLERS,
    ...(bus && { counted: (credential, requests) => counts.count('credentials', credential, requests) }),
  });
  const limitAddress = addressLimit({
    clientAddressOf,
    perAddress: configuration.GATEWAY_OPEN_ADDRESS_LIMIT,
    total: configuration.GATEWAY_OPEN_TOTAL_LIMIT,
    ...(bus && { counted: (network, requests) => counts.count('networks', network, requests) }),
  });
  const counts = sharedCounts({
    send: (message) => broadcast?.send(message),
    onCount: (kind, name, requests) =>
      (kind === 'credentials' ? limitCaller : limitAddress).countElsewhere(name, requests),
  });
  const broadcast =
    bus &&
    openBroadcast({
      bus,
      logger,
      service: eventAccess.service,
      topic: COUNTS,
      onMessage: (message) => counts.receive(message),
    });
  if (!bus)
    logger.info(
      { event: 'limits.counted_alone' },
      'there is no NATS_URL: this gateway counts requests alone, and several of them let as many times more pass',
    );
  const limit = concurrencyLimit({
    maxCalls: configuration.GATEWAY_MAX_CALLS_IN_FLIGHT,
    maxLagMs: configuration.GATEWAY_MAX_EVENT_LOOP_LAG_MS,
  });
  metrics.observeLoad(limit);
  const lag = watchEventLoopLag(
    () => limit.inFlight > 0 || limit.limit < configuration.GATEWAY_MAX_CALLS_IN_FLIGHT,
    (lagMs) => limit.observeLag(lagMs),
  );

  const targetOf = targetFinder(routes);
  const billingAddress = configuration.addresses.get('billing');
  const quotas =
    billingAddress === undefined
      ? undefined
      : startQuotas(billingQuotas({ address: billingAddress, assertions, tls }), logger);

  return {
    policies: [
      requestContextPolicy({ accessLog, metrics, tracing }),
      corsPolicy,
      authenticatePolicy({ resolveCaller, limitCaller, limitAddress, delayRefusal: delayedRefusals(REFUSALS) }),
      loadSheddingPolicy({ limit, entered: lag.wake, shed: () => metrics.callShed() }),
      quotaPolicy(quotas?.book, contract.levelsPassingRequestLimit),
      transcodePolicy({
        channelOf: (domain) => channels.get(domain),
        semaphoreOf: (domain) => semaphores.get(domain),
        fail,
        clientAddressOf,
        streams,
        streamDeadlineMs: configuration.GATEWAY_STREAM_DEADLINE_MS,
      }),
    ],
    posts: new Map(
      clientIds.length === 0
        ? []
        : [
            [
              BACK_CHANNEL_LOGOUT_PATH,
              backChannelLogout({ tokens, issuer, clientIds, identity, logger, fail }),
            ] as const,
          ],
    ),
    exchangeOf: exchangeFinder(targetOf),
    takesUpgrade: (request) =>
      request.headers.upgrade?.toLowerCase() === 'websocket' && targetOf(request).route?.stream?.kind === 'channel',
    fail,
    identityHealthy: async (timeoutMs) => {
      if (!(await channels.get('identity')?.healthy(timeoutMs))) return 'identity_unreachable';
      return (await identity.believesUs(timeoutMs)) ? 'ready' : 'clocks_differ';
    },
    endStreams: () => streams.endAll(),
    close: async () => {
      streams.close();
      await quotas?.close();
      for (const channel of channels.values()) channel.close();
      identity.close();
      lag.stop();
      counts.flush();
      await broadcast?.close();
      await stopFollowing?.();
      await bus?.close();
    },
  };
}

/** Idle leases are given back, and requests without one reported, within about so long. */
const TIDY_QUOTAS_MS = 1_000;

function startQuotas({ lease, report, close }: BillingQuotas, logger: Logger) {
  const book = quotaBook({ lease, report, logger, now: Date.now });
  const tidying = setInterval(() => book.tidy(), TIDY_QUOTAS_MS);
  return {
    book,
    close: async () => {
      clearInterval(tidying);
      await book.close();
      close();
    },
  };
}

/** Keeps the exchange on its request: a WeakMap with an entry per request would cost more than the rest of this. */
const exchangeFinder =
  (targetOf: ReturnType<typeof targetFinder>): Composition['exchangeOf'] =>
  (request: IncomingMessage & { exchange?: Exchange }, response) =>
    (request.exchange ??= new Exchange(request, response, targetOf(request)));

/** Answers with the error, and logs the ones that somebody here has to look into. */
const failureAnswer =
  (logger: Logger): Fail =>
  (exchange, given) => {
    const { requestId, target } = exchange;
    const error = target.route?.operation.idempotent === false ? errorOfChange(given) : given;
    if (!(error instanceof DomainError)) {
      logger.error(
        { event: 'request.failed', err: error, requestId, route: target.template },
        'request failed unexpectedly',
      );
    } else if (LOGGED_KINDS.has(error.kind) && !isLoggedElsewhere(error)) {
      const level = error.kind === 'internal' ? 'error' : 'warn';
      logger[level](refusalLine(exchange, error), 'request could not be served');
    } else if (error.kind === 'unauthenticated' && error.cause !== undefined) {
      // Whoever set up the identity provider cannot learn it elsewhere: the answer says nothing of the reason.
      logger.info(refusalLine(exchange, error), 'credential refused');
    }
    try {
      answerError(exchange, error);
    } catch (second) {
      // There is nobody behind this one: what it threw would end the process, so only this connection ends.
      logger.error(
        { event: 'request.not_answered', err: second, requestId, route: target.template },
        'a failed request could not be answered',
      );
      exchange.response.destroy();
    }
  };

const refusalLine = ({ requestId, target }: Exchange, { code, cause }: DomainError) => ({
  code,
  cause: cause instanceof Error ? cause.message : undefined,
  requestId,
  route: target.template,
});

/** By the service that has answered so; what else it refuses is no more than a line of its calls. */
const isLoggedElsewhere = (error: DomainError): boolean =>
  (error.kind === 'internal' || error.kind === 'unavailable' || error.kind === 'upstream_failed') &&
  isToldByService(error);

const LOGGED_KINDS: ReadonlySet<DomainError['kind']> = new Set([
  'internal',
  'unavailable',
  'not_provided',
  'upstream_failed',
  'deadline_exceeded',
]);
