import { context, propagation, trace, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

export interface RecordedSpans {
  /** Those that have ended since it was last forgotten, in that order. */
  readonly finished: () => ReturnType<InMemorySpanExporter['getFinishedSpans']>;
  readonly forget: () => void;
  /** Runs work in a span of its own, which ends with it. */
  readonly within: <T>(name: string, work: (span: Span) => Promise<T>) => Promise<T>;
  /** This process traces no more: other files of it have another exporter. */
  readonly stop: () => Promise<void>;
}

/** Has this process trace into memory. */
export function recordSpans(): RecordedSpans {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    finished: () => exporter.getFinishedSpans(),
    forget: () => exporter.reset(),
    within: (name, work) =>
      trace.getTracer('test').startActiveSpan(name, async (span) => {
        try {
          return await work(span);
        } finally {
          span.end();
        }
      }),
    async stop() {
      for (const api of [trace, propagation, context]) api.disable();
      await provider.shutdown();
    },
  };
}
