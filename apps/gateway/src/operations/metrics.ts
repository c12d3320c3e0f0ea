import http from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export interface GatewayMetrics {
  /** Counts an answered or abandoned request. `route` is a template, never a path: paths have no bound. */
  requestEnded(method: string, route: string, status: number, seconds: number): void;
  callerLookedUp(outcome: 'resolved' | 'refused' | 'failed'): void;
  callersRevoked(): void;
  /** Reads a number whenever metrics are collected. */
  observe(name: string, help: string, read: () => number): void;
  /** Serves `GET /metrics` on a port of its own, so that it is never reachable where clients are. */
  listen(host: string, port: number): Promise<{ address: string; close(): void }>;
}

export function gatewayMetrics(): GatewayMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  const duration = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Time from reading a request to the end of its answer, in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const lookUps = new Counter({
    name: 'gateway_caller_lookups_total',
    help: 'Credentials looked up because no fresh answer was remembered.',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const revocations = new Counter({
    name: 'gateway_caller_revocations_total',
    help: 'Events that made the gateway forget callers at once.',
    registers: [registry],
  });
  // prom-client hashes labels on every call; the set of routes and statuses is small and settles.
  const durations = new Map<string, { observe(seconds: number): void }>();

  return {
    requestEnded(method, route, status, seconds) {
      const key = `${method} ${route} ${status}`;
      let series = durations.get(key);
      if (!series) durations.set(key, (series = duration.labels(method, route, String(status))));
      series.observe(seconds);
    },
    callerLookedUp: (outcome) => lookUps.labels(outcome).inc(),
    callersRevoked: () => revocations.inc(),
    observe(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read());
        },
      });
    },
    async listen(host, port) {
      const server = http.createServer((request, response) => {
        if (request.method !== 'GET' || request.url !== '/metrics') {
          response.writeHead(404).end();
          return;
        }
        registry.metrics().then(
          (text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text),
          () => response.writeHead(500).end(),
        );
      });
      server.listen(port, host);
      await once(server, 'listening');
      const bound = server.address() as AddressInfo;
      return { address: `${host}:${bound.port}`, close: () => server.close() };
    },
  };
}
