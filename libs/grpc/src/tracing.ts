import type { Metadata } from '@grpc/grpc-js';
import {
  context,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type TextMapGetter,
  type TextMapSetter,
} from '@opentelemetry/api';

/** Does nothing, at next to no cost, until a process sets up an OpenTelemetry SDK. */
const tracer = trace.getTracer('@platform/grpc');

const reader: TextMapGetter<Metadata> = {
  get: (metadata, name) => {
    const [value] = metadata.get(name);
    return typeof value === 'string' ? value : undefined;
  },
  keys: (metadata) => Object.keys(metadata.getMap()),
};

const writer: TextMapSetter<Metadata> = { set: (metadata, name, value) => metadata.set(name, value) };

/** Runs a served call in a span that continues the caller's trace. */
export function inServerSpan<T>(path: string, metadata: Metadata, work: (span: Span) => Promise<T>): Promise<T> {
  const parent = propagation.extract(ROOT_CONTEXT, metadata, reader);
  return tracer.startActiveSpan(
    spanName(path),
    { kind: SpanKind.SERVER, attributes: attributesOf(path) },
    parent,
    work,
  );
}

/** Runs a call in a span and writes its `traceparent` into the metadata. */
export function inClientSpan<T>(path: string, metadata: Metadata, work: (span: Span) => Promise<T>): Promise<T> {
  return tracer.startActiveSpan(spanName(path), { kind: SpanKind.CLIENT, attributes: attributesOf(path) }, (span) => {
    propagation.inject(context.active(), metadata, writer);
    return work(span);
  });
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
