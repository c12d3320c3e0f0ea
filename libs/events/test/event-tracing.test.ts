import { afterAll, describe, expect, it } from '@jest/globals';
import { SpanKind } from '@opentelemetry/api';
import { newId } from '@platform-backend/core';
import { recordSpans, type RecordedSpans } from '@platform-backend/testing/recorded-spans';
import { encodeEvent, parseCloudEvent } from '../src/cloud-event.ts';
import { inPublishingSpan, inReactionSpan } from '../src/event-tracing.ts';

const event = () => ({
  ...{ id: newId(), type: 'platform.v1.library.shelf.created', organisationId: 'org_a', subject: 's' },
  ...{ data: { name: 'traceparent' }, time: new Date() },
});

describe('an event', () => {
  let spans: RecordedSpans | undefined;
  const finished = () => spans?.finished() ?? [];
  afterAll(() => spans?.stop());

  it('says nothing of traces where nothing is traced, and is handled all the same', async () => {
    const body = encodeEvent(event());
    expect(JSON.parse(body)).not.toHaveProperty('traceparent');
    const delivered = parseCloudEvent(body);
    expect(await inPublishingSpan({ ...delivered, body }, () => Promise.resolve(1))).toBe(1);
    expect(await inReactionSpan('library-on-shelf-created', delivered, () => Promise.resolve(2))).toBe(2);
  });

  it('takes the trace of what caused it through outbox and relay to its reactions, and to what these cause', async () => {
    spans = recordSpans();
    const { body, caused } = await spans.within('the call', (span) =>
      Promise.resolve({ body: encodeEvent(event()), caused: span.spanContext() }),
    );
    // As the outbox stores it, and another process reads it much later.
    const stored = JSON.stringify(JSON.parse(body));
    await inPublishingSpan({ id: 'e', type: event().type, body: stored }, () => Promise.resolve());
    const next = await inReactionSpan('library-on-shelf-created', parseCloudEvent(stored), () =>
      Promise.resolve(encodeEvent(event())),
    );
    const [, publishing, reaction] = finished();
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
    spans?.forget();
    const [ours, theirs] = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`);
    const data = { traceparent: theirs };
    for (const envelope of [{ data, traceparent: ours }, { traceparent: ours, data }, { data }]) {
      const body = JSON.stringify({ ...envelope, specversion: '1.0' });
      await inPublishingSpan({ id: 'e', type: event().type, body }, () => Promise.resolve());
    }
    expect(finished().map(({ parentSpanContext }) => parentSpanContext?.traceId)).toEqual([
      'a'.repeat(32),
      'a'.repeat(32),
    ]);
  });

  it('that claims to be of a trace by something else than its ids is of none', async () => {
    spans?.forget();
    for (const traceParent of ['x', '00-1-2-3', `01-${'a'.repeat(32)}-${'b'.repeat(16)}-01`])
      await inReactionSpan('library-on-shelf-created', { id: 'e', type: 't', traceParent }, () => Promise.resolve());
    expect(finished().map(({ parentSpanContext }) => parentSpanContext)).toEqual([undefined, undefined, undefined]);
    await expect(
      inReactionSpan('library-on-shelf-created', { id: 'e', type: 't' }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(finished().at(-1)?.status.code).toBe(2);
  });
});
