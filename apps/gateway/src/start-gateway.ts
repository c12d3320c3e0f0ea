import { asyncApi, openApi } from '@platform-backend/contract/http';
import { loadPlatformContract } from '@platform-backend/contracts';
import type { Logger, StartedService } from '@platform-backend/core';
import type { AccessLog } from '@platform-backend/core/access-log';
import { createMetrics } from '@platform-backend/core/metrics';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { composeGateway } from './compose.ts';
import { readGatewayConfiguration, type GatewayConfiguration } from './configuration.ts';
import { documentationPages } from './documentation/documentation-pages.ts';
import type { Exchange } from './exchange/exchange.ts';
import { bootExpressGateway } from './express-gateway/boot.ts';
import { preparedPipeline } from './express-gateway/plugin.ts';
import { mountTail } from './express-gateway/tail.ts';
import { descriptionPage } from './observability/description-page.ts';
import { answerAlive, answerReady } from './observability/health.ts';
import { gatewayMetrics } from './observability/metrics.ts';
import { startTracing } from './observability/tracing.ts';
import { dispatcher } from './pipeline/dispatch.ts';
import { frontPolicies } from './pipeline/front.ts';
import { compose } from './pipeline/policy.ts';
import { refuseAmbiguousRequests } from './server/ambiguous-requests.ts';
import { drainOf } from './server/drain.ts';
import { answerMalformedRequests } from './server/malformed-requests.ts';
import { boundUnreadBodies } from './server/unread-bodies.ts';
import { answerUpgrades } from './server/upgrades.ts';
import { closeWaitingAnswers } from './server/waiting-answers.ts';

/** How often the server looks for clients that are too slow, in milliseconds. */
const TIMEOUT_CHECK_MS = 1_000;

/** What the last traces and the connections get to be sent and closed, after the last answer. */
const CLOSING_MS = 3_000;

/** What streams get before the limit of the drain to say that they end. */
const LAST_WORDS_MS = 1_000;

/** Starts the gateway from its environment; resolves when it listens. */
export async function startGateway(
  env: NodeJS.ProcessEnv,
  logger: Logger,
  accessLog: AccessLog,
  contract = loadPlatformContract(),
): Promise<StartedService> {
  const configuration = readGatewayConfiguration(env, new Set(contract.operations.map(({ domain }) => domain)));
  const metrics = createMetrics();
  const { OTEL_EXPORTER_OTLP_ENDPOINT: collector } = configuration;
  const tracing = collector === undefined ? undefined : await startTracing(collector);
  const composition = composeGateway({
    configuration,
    contract,
    logger,
    accessLog,
    metrics: gatewayMetrics(metrics),
    tracing,
  });
  const { policies, exchangeOf, fail, identityHealthy } = composition;
  const signIn = { issuer: configuration.OIDC_ISSUER, clientId: configuration.GATEWAY_DOCS_CLIENT_ID };

  let draining = false;
  const server = await bootExpressGateway({
    configDirectory: configuration.GATEWAY_CONFIG_DIRECTORY,
    logger,
    plugin: {
      policies,
      routes: new Map<string, (exchange: Exchange) => void>([
        ['/healthz', answerAlive],
        ['/readyz', answerReady({ draining: () => draining, identityHealthy })],
        ['/openapi.json', descriptionPage(openApi(contract))],
        ['/asyncapi.json', descriptionPage(asyncApi(contract))],
        ...(configuration.GATEWAY_DOCS ? documentationPages(signIn, fail) : []),
      ]),
      posts: composition.posts,
      exchangeOf,
      fail,
    },
    serverOptions: { ...serverOptions(configuration), shouldUpgradeCallback: composition.takesUpgrade },
    listener: (express) => {
      mountTail(express, exchangeOf, fail);
      const { config, policies: prepared } = preparedPipeline();
      const inFront = frontPolicies(config, prepared);
      if (!inFront)
        logger.warn(
          { event: 'pipeline.needs_express' },
          'the configured pipeline needs express; every request pays for it',
        );
      const dispatch = dispatcher({ exchangeOf, express, front: inFront && compose(inFront, fail) });
      return refuseAmbiguousRequests(dispatch, exchangeOf);
    },
  });
  answerMalformedRequests(server, logger, exchangeOf);
  boundUnreadBodies(server);
  closeWaitingAnswers(server);
  answerUpgrades(server, exchangeOf);
  const drain = drainOf(server);
  const { GATEWAY_HOST: host, GATEWAY_METRICS_PORT: metricsPort } = configuration;
  const metricsPage = await metrics.serve(`${host}:${metricsPort}`);
  const { address, port } = server.address() as AddressInfo;

  const { GATEWAY_DRAIN_DELAY_MS: delayMs, GATEWAY_DRAIN_LIMIT_MS: limitMs } = configuration;
  return {
    ready: { address: `${address}:${port}`, metricsAddress: metricsPage.address },
    drainLimitMs: delayMs + limitMs + CLOSING_MS,
    stop: async () => {
      draining = true;
      drain.announce();
      await delay(delayMs);
      const lastWords = setTimeout(() => composition.endStreams(), limitMs - Math.min(LAST_WORDS_MS, limitMs / 2));
      await drain.start(limitMs);
      clearTimeout(lastWords);
      await composition.close();
      await metricsPage.close();
      await tracing?.shutdown();
    },
  };
}

const serverOptions = (configuration: GatewayConfiguration) => ({
  headersTimeout: configuration.GATEWAY_HEADERS_TIMEOUT_MS,
  requestTimeout: configuration.GATEWAY_REQUEST_TIMEOUT_MS,
  keepAliveTimeout: configuration.GATEWAY_KEEP_ALIVE_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  // Node would answer without a body; see refuseAmbiguousRequests.
  requireHostHeader: false,
});
