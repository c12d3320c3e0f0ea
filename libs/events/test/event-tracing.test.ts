import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { context, propagation, SpanKind, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { newId } from '@platform-backend/core';
import { encodeEvent, parseCloudEvent } from '../src/cloud-event.ts';
import { inPublishingSpan, inReactionSpan } from '../src/event-tracing.ts';

const event = () => ({
  ...{ id: newId(), type: 'platform.v1.library.shelf.created', organisationId: 'org_a', subject: 's' },
  ...{ data: { name: 'traceparent' }, time: new Date() },
});

describe('an event', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const traced = () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
    trace.setGlobalTracerProvider(provider);
  };
  // Other files of this process have another provider.
  const untraced = () => {
    for (const api of [trace, propagation, context]) api.disable();
  };
  beforeAll(untraced);
  afterAll(async () => {
    untraced();
    await provider.shutdown();
  });

  it('says nothing of traces where nothing is traced, and is handled all the same', async () => {
    const body = encodeEvent(event());
    expect(JSON.parse(body)).not.toHaveProperty('traceparent');
    const delivered = parseCloudEvent(body);
    expect(await inPublishingSpan({ ...delivered, body }, () => Promise.resolve(1))).toBe(1);
    expect(await inReactionSpan('library-on-shelf-created', delivered, () => Promise.resolve(2))).toBe(2);
  });

  it('takes the trace of what caused it through outbox and relay to its reactions, and to what these cause', async () => {
    traced();
    const { body, caused } = await trace.getTracer('test').startActiveSpan('the call', async (span) => {
      const encoded = encodeEvent(event());
      span.end();
      return Promise.resolve({ body: encoded, caused: span.spanContext() });
    });
    // As the outbox stores it, and another process reads it much later.
    const stored = JSON.stringify(JSON.parse(body));
    await inPublishingSpan({ id: 'e', type: event().type, body: stored }, () => Promise.resolve());
    const next = await inReactionSpan('library-on-shelf-created', parseCloudEvent(stored), () =>
      Promise.resolve(encodeEvent(event())),
    );
    const [, publishing, reaction] = exporter.getFinishedSpans();
    expect(publishing).toMatchObject({
      ...{ name: 'platform.v1.library.shelf.created publish', kind: SpanKind.PRODUCER },
      parentSpanContext: { traceId: caused.traceId, spanId: caused.spanId },
    });
    expect(reaction).toMatchObject({
      ...{ name: 'library-on-shelf-created process', kind: SpanKind.CONSUMER },
      parentSpanContext: { traceId: caused.traceId, spanId: caused.spanId },
    });
    expect(parseCloudEvent(next).traceParent).toBe(`00-${caused.traceId}-${String(reaction?.spanContext().spanId)}-01`);
  });

  it('is of the trace of its envelope, and not of one that its payload names, in whichever order they are stored', async () => {
    exporter.reset();
    const [ours, theirs] = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    const data = { traceparent: theirs };
    for (const envelope of [{ data, traceparent: ours }, { traceparent: ours, data }, { data }]) {
      const body = JSON.stringify({ ...envelope, specversion: '1.0' });
      await inPublishingSpan({ id: 'e', type: event().type, body }, () => Promise.resolve());
    }
    expect(exporter.getFinishedSpans().map(({ parentSpanContext }) => parentSpanContext?.traceId)).toEqual([
      'a'.repeat(32),
      'a'.repeat(32),
    ]);
  });

  it('that claims to be of a trace by something else than its ids is of none', async () => {
    exporter.reset();
    for (const traceParent of ['x', '00-1-2-3', `01-${'a'.repeat(32)}-${'b'.repeat(16)}-01`])
      await inReactionSpan('library-on-shelf-created', { id: 'e', type: 't', traceParent }, () => Promise.resolve());
    expect(exporter.getFinishedSpans().map(({ parentSpanContext }) => parentSpanContext)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    await expect(
      inReactionSpan('library-on-shelf-created', { id: 'e', type: 't' }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(exporter.getFinishedSpans().at(-1)?.status.code).toBe(2);
  });
});
