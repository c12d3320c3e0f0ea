import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';

/**
 * Does nothing, at next to no cost, until a process sets up an OpenTelemetry SDK. It is asked for each time: one that has been used
 * once stays with the exporter of that time.
 */
const tracer = () => trace.getTracer('@platform-backend/events');

const TRACE_PARENT = 'traceparent';
/** `00`, the ids of trace and span, and flags: all that W3C Trace Context 1 has, and all that is taken over. */
const TRACE_IDS = /^00-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** What the work under way is part of, for an event that it causes; undefined where nothing is traced. */
export function traceParentOfNow(): string | undefined {
  if (!trace.getActiveSpan()) return undefined;
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier[TRACE_PARENT];
}

/** Runs the reaction to an event in a span that goes on with the trace of what caused it. */
export function inReactionSpan<T>(
  consumer: string,
  event: { readonly id: string; readonly type: string; readonly traceParent?: string },
  react: () => Promise<T>,
): Promise<T> {
  return inSpan(`${consumer} process`, SpanKind.CONSUMER, event, event.traceParent, react);
}

/** Publishes an event in a span of the trace of what caused it; in none where it has none, or nothing is traced. */
export function inPublishingSpan<T>(
  event: { readonly id: string; readonly type: string; readonly body: string },
  publish: () => Promise<T>,
): Promise<T> {
  // Fields are known only to a process that traces: nobody else reads the text.
  const parent = propagation.fields().length > 0 ? traceParentIn(event.body) : undefined;
  return parent === undefined ? publish() : inSpan(`${event.type} publish`, SpanKind.PRODUCER, event, parent, publish);
}

/** The attribute of the envelope. A payload may have a field of this name, which stands before it where the database orders them. */
function traceParentIn(body: string): string | undefined {
  const { [TRACE_PARENT]: traceParent } = JSON.parse(body) as { readonly [TRACE_PARENT]?: unknown };
  return typeof traceParent === 'string' && TRACE_IDS.test(traceParent) ? traceParent : undefined;
}

function inSpan<T>(
  name: string,
  kind: SpanKind,
  { id, type }: { readonly id: string; readonly type: string },
  parent: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = { 'messaging.system': 'nats', 'messaging.destination.name': type, 'messaging.message.id': id };
  const continued =
    parent !== undefined && TRACE_IDS.test(parent)
      ? propagation.extract(ROOT_CONTEXT, { [TRACE_PARENT]: parent })
      : ROOT_CONTEXT;
  return tracer().startActiveSpan(name, { kind, attributes }, continued, async (span) => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}
