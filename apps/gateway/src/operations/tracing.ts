import type { Exchange } from '../exchange/exchange.ts';

/** Traces of requests; only there when they go somewhere. */
export interface Tracing {
  /** Begins the request's span, continuing the client's trace if it sent one. */
  begin(exchange: Exchange): void;
  end(exchange: Exchange, status: number): void;
  /** Sends what is still waiting. */
  shutdown(): Promise<void>;
}

/**
 * Sends one server span per request to an OTLP collector. The OpenTelemetry packages are loaded here
 * and not at the top of the file: without a collector nobody pays for them.
 */
export async function startTracing(endpoint: string): Promise<Tracing> {
  const [
    { context, propagation, trace, SpanKind, SpanStatusCode },
    { NodeTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    { resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new NodeTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'gateway' }),
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` })),
    ],
  });
  provider.register();
  const tracer = provider.getTracer('gateway');
  const spans = new WeakMap<Exchange, ReturnType<typeof tracer.startSpan>>();

  return {
    begin(exchange) {
      const { request, target } = exchange;
      const parent = propagation.extract(context.active(), request.headers);
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
      const carrier: Record<string, string> = {};
      propagation.inject(trace.setSpan(parent, span), carrier);
      exchange.traceParent = carrier['traceparent'];
    },
    end(exchange, status) {
      const span = spans.get(exchange);
      if (!span) return;
      span.setAttribute('http.response.status_code', status);
      if (exchange.problemCode !== undefined) span.setAttribute('error.type', exchange.problemCode);
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
    shutdown: () => provider.shutdown(),
  };
}
