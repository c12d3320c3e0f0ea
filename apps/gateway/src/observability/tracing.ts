import { context, propagation, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api';
import { continuedTrace, exportTraces } from '@platform-backend/grpc';
import type { Exchange } from '../exchange/exchange.ts';

/** Traces of requests; only there when they go somewhere. */
export interface Tracing {
  /** Begins the request's span, continuing the client's trace if it sent one, and goes on within it. */
  begin(exchange: Exchange, goOn: () => void): void;
  end(exchange: Exchange, status: number): void;
  /** Sends what is still waiting. */
  shutdown(): Promise<void>;
}

/** Sends one server span per request to an OTLP collector. */
export async function startTracing(endpoint: string): Promise<Tracing> {
  const traces = await exportTraces({ service: 'gateway', endpoint });
  const tracer = trace.getTracer('gateway');
  const spans = new WeakMap<Exchange, Span>();

  return {
    begin(exchange, goOn) {
      const { request, target } = exchange;
      const parent = continuedTrace(context.active(), request.headers['traceparent']);
      const attributes = {
        'http.request.method': request.method ?? '',
        'http.route': target.template,
        'platform.request_id': exchange.requestId,
      };
      const span = tracer.startSpan(
        `${request.method ?? ''} ${target.template}`,
        { kind: SpanKind.SERVER, attributes },
        parent,
      );
      spans.set(exchange, span);
      const within = trace.setSpan(parent, span);
      const carrier: Record<string, string> = {};
      propagation.inject(within, carrier);
      exchange.traceParent = carrier['traceparent'];
      // So that what the request makes the gateway itself ask of services is part of its trace.
      context.with(within, goOn);
    },
    end(exchange, status) {
      const span = spans.get(exchange);
      if (!span) return;
      span.setAttribute('http.response.status_code', status);
      if (exchange.problemCode !== undefined) span.setAttribute('error.type', exchange.problemCode);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    shutdown: () => traces.stop(),
  };
}
