import { apiVersion } from '@platform-backend/contract/http';
import { isRequestId, newId } from '@platform-backend/core';
import type { AccessLog } from '@platform-backend/core/access-log';
import type { Exchange } from '../exchange/exchange.ts';
import type { GatewayMetrics } from '../observability/metrics.ts';
import type { Tracing } from '../observability/tracing.ts';
import type { PolicyDefinition } from '../pipeline/policy.ts';

/** The status under which a request is counted whose client went away before the answer. */
const CLIENT_WENT_AWAY = 499;
const SWITCHED_PROTOCOLS = 101;

export interface RequestContextPorts {
  /** Spares its lines the search for secrets: only the fields named below may go there. */
  readonly accessLog: AccessLog;
  readonly metrics: GatewayMetrics;
  /** Absent when traces go nowhere. */
  readonly tracing: Tracing | undefined;
}

export const requestContextSettings = {
  type: 'object',
  properties: { accessLog: { type: 'boolean', default: true, description: 'one line in the log for each request' } },
} as const;

/** Gives every request its id and the headers of every answer, and accounts for it when it ends. */
export const requestContextPolicy = (ports: RequestContextPorts): PolicyDefinition => ({
  name: 'request-context',
  settings: requestContextSettings,
  create(settings) {
    const { accessLog: logged } = settings as { accessLog: boolean };
    return (exchange, next) => {
      openContext(exchange);
      exchange.response.on('close', () => closeContext(exchange, ports, logged));
      if (ports.tracing) ports.tracing.begin(exchange, () => next(exchange));
      else next(exchange);
    };
  },
});

/** Chooses the request id and writes down the headers that every answer carries. */
export function openContext(exchange: Exchange): void {
  const chosen = exchange.request.headers['x-request-id'];
  exchange.requestId = typeof chosen === 'string' && isRequestId(chosen) ? chosen : newId();
  exchange.headers.push(
    'X-Request-Id',
    exchange.requestId,
    'X-Api-Version',
    apiVersion,
    'X-Content-Type-Options',
    'nosniff',
  );
}

function closeContext(exchange: Exchange, ports: RequestContextPorts, logged: boolean): void {
  const { request, response, target, requestId, caller, problemCode: code } = exchange;
  const upgraded = exchange.upgrade?.isDone === true;
  const answered = upgraded || response.writableFinished;
  // A stream may be answered, or ended, before its service has come to an end.
  if (!answered || exchange.isStream) exchange.cancel?.();

  const ms = performance.now() - exchange.startedAt;
  const status = upgraded ? SWITCHED_PROTOCOLS : answered ? response.statusCode : CLIENT_WENT_AWAY;
  ports.metrics.requestEnded(knownMethod(request.method), target.template, status, ms / 1000);
  ports.tracing?.end(exchange, status);
  if (!logged) return;

  // Neither path nor query: both may hold what somebody typed. The template says which operation it was.
  const line = {
    method: request.method,
    route: target.template,
    status,
    ms: Math.round(ms * 100) / 100,
    requestId,
    organisationId: caller?.organisationId,
    userId: caller?.userId,
    apiKeyId: caller?.apiKeyId,
    code,
  };
  ports.accessLog.info(line, 'request');
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Methods are chosen by clients, so an unknown one must not become a label of its own. */
const knownMethod = (method = ''): string => (METHODS.has(method) ? method : 'OTHER');
