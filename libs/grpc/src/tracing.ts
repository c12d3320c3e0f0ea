import type { Metadata } from '@grpc/grpc-js';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Span,
  type TextMapSetter,
} from '@opentelemetry/api';

/**
 * Does nothing, at next to no cost, until a process sets up an OpenTelemetry SDK. It is asked for each time: one that has been used
 * once stays with the exporter of that time.
 */
const tracer = () => trace.getTracer('@platform-backend/grpc');

const writer: TextMapSetter<Metadata> = { set: (metadata, name, value) => metadata.set(name, value) };

const TRACE_PARENT = 'traceparent';
/** `00`, the ids of trace and span, and flags: all that W3C Trace Context 1 has. */
const TRACE_IDS = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/**
 * The context of a trace that began outside, by its `traceparent`. Whatever else is said about it, in later versions or
 * in `tracestate`, is free text, which would end up in the collector.
 */
export const continuedTrace = (base: Context, traceParent: unknown): Context =>
  typeof traceParent === 'string' && TRACE_IDS.test(traceParent)
    ? propagation.extract(base, { [TRACE_PARENT]: traceParent })
    : base;

/** Runs a served call in a span that continues the caller's trace. */
export function inServerSpan<T>(path: string, metadata: Metadata, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = continuedTrace(ROOT_CONTEXT, metadata.get(TRACE_PARENT)[0]);
  return tracer().startActiveSpan(
    spanName(path),
    { kind: SpanKind.SERVER, attributes: attributesOf(path) },
    parent,
    work,
  );
}

/** Begins the span of a call to be made and writes its `traceparent` into the metadata. */
export function startClientSpan(path: string, metadata: Metadata): Span {
  const span = tracer().startSpan(spanName(path), { kind: SpanKind.CLIENT, attributes: attributesOf(path) });
  propagation.inject(trace.setSpan(context.active(), span), metadata, writer);
  return span;
}

/** Ends a span with the call's gRPC status code. */
export function endSpan(span: Span, grpcStatus: number): void {
  span.setAttribute('rpc.grpc.status_code', grpcStatus);
  if (grpcStatus !== 0) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

const spanName = (path: string): string => path.slice(1);

const attributesOf = (path: string): Record<string, string> => {
  const [service = '', method = ''] = path.slice(1).split('/');
  return { 'rpc.system': 'grpc', 'rpc.service': service, 'rpc.method': method };
};
