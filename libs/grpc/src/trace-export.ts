import { context, propagation, trace } from '@opentelemetry/api';

export interface TraceExport {
  /** Sends what is still waiting. Never rejects, and takes about two seconds at most. */
  stop(): Promise<void>;
}

export interface TraceExportOptions {
  /** The name under which the process's spans are found. */
  service: string;
  /** An OTLP collector; without one nothing is traced. */
  endpoint: string | undefined;
}

/** Finished spans wait this long for company, in milliseconds. */
const SEND_EVERY_MS = 1_000;
/** A collector that is slower loses them: neither calls nor the end of the process wait for it. */
const ANSWER_LIMIT_MS = 2_000;

/**
 * Sends the spans of this process to an OTLP collector, and passes `traceparent` on from calls served to calls made.
 * The OpenTelemetry SDK is loaded here and not at the top of the file: without a collector nobody pays for it.
 */
export async function exportTraces({ service, endpoint }: TraceExportOptions): Promise<TraceExport> {
  if (endpoint === undefined) return { stop: () => Promise.resolve() };
  const [
    { BatchSpanProcessor, TracerProvider },
    { OTLPTraceExporter },
    { resourceFromAttributes },
    { W3CTraceContextPropagator },
    { AsyncLocalStorageContextManager },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/core'),
    import('@opentelemetry/context-async-hooks'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: ANSWER_LIMIT_MS,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: SEND_EVERY_MS })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return { stop: () => provider.shutdown().catch(() => undefined) };
}
