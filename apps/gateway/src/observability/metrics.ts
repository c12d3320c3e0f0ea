import type { Metrics } from '@platform-backend/core/metrics';

export interface GatewayMetrics {
  /** Counts an answered or abandoned request. `route` is a template, never a path: paths have no bound. */
  requestEnded(method: string, route: string, status: number, seconds: number): void;
  callerLookedUp(outcome: 'resolved' | 'refused' | 'failed'): void;
  callersRevoked(): void;
  observeCallers(remembered: () => number): void;
  observeStreams(open: () => number): void;
  /** Calls that are under way, and how many may be. */
  observeLoad(load: { readonly inFlight: number; readonly limit: number }): void;
  /** Counts a call that was refused because too many were under way. */
  callShed(): void;
}

export function gatewayMetrics(metrics: Metrics): GatewayMetrics {
  const requestTook = metrics.histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Time from reading a request to the end of its answer, in seconds.',
    labels: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return {
    requestEnded: (method, route, status, seconds) => requestTook(seconds, method, route, String(status)),
    callerLookedUp: metrics.counter(
      'gateway_caller_lookups_total',
      'Credentials looked up because no fresh answer was remembered.',
      ['outcome'],
    ),
    callersRevoked: metrics.counter(
      'gateway_caller_revocations_total',
      'Events that made the gateway forget callers at once.',
    ),
    observeCallers: (remembered) =>
      metrics.observe('gateway_cached_callers', 'Callers looked up within the last seconds.', remembered),
    observeStreams: (open) =>
      metrics.observe('gateway_open_streams', 'Streams, uploads and WebSockets that are open.', open),
    observeLoad: (load) => {
      metrics.observe('gateway_calls_in_flight', 'Calls that wait for a service.', () => load.inFlight);
      metrics.observe(
        'gateway_calls_in_flight_limit',
        'How many may wait now: fewer while the event loop is late.',
        () => load.limit,
      );
    },
    callShed: metrics.counter('gateway_calls_shed_total', 'Calls refused at once because too many were under way.'),
  };
}
