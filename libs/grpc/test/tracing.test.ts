import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { notFound } from '@platform-backend/core';
import { recordSpans, type RecordedSpans } from '@platform-backend/testing/recorded-spans';
import { ada, asAda, assertionHeader, assertionsOf, rawCall, thingClient, thingServer } from './thing-server.ts';

describe('a trace over services', () => {
  let spans: RecordedSpans;
  beforeAll(() => {
    spans = recordSpans();
  });
  afterAll(() => spans.stop());

  it('goes on through a call inside a call, and says how each ended', async () => {
    const back = await thingServer({ getThing: () => Promise.reject(notFound('Thing')) });
    const backClient = thingClient(back.address, { assertions: assertionsOf('billing'), connectLimitMs: 60_000 });
    const front = await thingServer({ getThing: (request, context) => backClient.getThing(request, { context }) });
    const client = thingClient(front.address, { connectLimitMs: 60_000 });
    const traceId = await spans.within('outside', async (span) => {
      await expect(client.getThing({ id: 't1' }, asAda)).rejects.toMatchObject({ kind: 'not_found' });
      return span.spanContext().traceId;
    });
    client.close();
    backClient.close();
    await front.drain();
    await back.drain();

    const finished = spans.finished();
    const calls = finished.filter(({ name }) => name === 'kit.things.v1.ThingService/GetThing');
    expect(calls).toHaveLength(4);
    for (const call of calls) {
      expect(call.spanContext().traceId).toBe(traceId);
      expect(call.attributes).toMatchObject({
        'rpc.system': 'grpc',
        'rpc.method': 'GetThing',
        'rpc.grpc.status_code': 5,
      });
    }
    // Each span but the outermost has another of them as its parent: one line, not a heap.
    const ids = new Set(finished.map((span) => span.spanContext().spanId));
    const parents = calls.map((span) => span.parentSpanContext?.spanId ?? '');
    expect(new Set(parents).size).toBe(4);
    for (const parent of parents) expect(ids).toContain(parent);
  });

  it('is continued by its ids alone: whatever else is said about it is free text', async () => {
    spans.forget();
    const server = await thingServer({ getThing: (request) => Promise.resolve(request) });
    const ids = '4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7';
    const assertion = await assertionHeader(ada);
    await rawCall(server.address, 'getThing', { ...assertion, traceparent: `00-${ids}-01`, tracestate: 'a=secret' });
    await rawCall(server.address, 'getThing', { ...assertion, traceparent: `01-${ids}-01-secret`, tracestate: 'a=b' });
    await server.drain();
    const contexts = spans.finished().map((span) => span.spanContext());
    expect(contexts.map(({ traceId }) => ids.startsWith(traceId))).toEqual([true, false]);
    for (const { traceState } of contexts) expect(traceState?.serialize() ?? '').toBe('');
  });
});
