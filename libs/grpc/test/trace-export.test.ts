import { afterEach, describe, expect, it } from '@jest/globals';
import { context, propagation, trace } from '@opentelemetry/api';
import { exportTraces } from '@platform-backend/grpc';
import { waitFor } from '@platform-backend/testing';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asAda, thingClient, thingServer } from './thing-server.ts';

const collectors: (() => void)[] = [];
afterEach(() => {
  for (const close of collectors.splice(0)) close();
  for (const api of [trace, propagation, context]) api.disable();
});

/** A collector of traces, and what has come in. */
async function collector(answer: (response: ServerResponse) => void) {
  const received: string[] = [];
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push(`${request.url ?? ''} ${body}`);
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  collectors.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, received };
}

async function oneCall(): Promise<void> {
  const server = await thingServer({ getThing: ({ id }) => Promise.resolve({ id }) });
  const client = thingClient(server.address, { connectLimitMs: 60_000 });
  await client.getThing({ id: 't1' }, asAda);
  client.close();
  await server.drain();
}

describe('the traces of a process', () => {
  it('go to the collector under the name of the service, the last ones when it stops', async () => {
    const { endpoint, received } = await collector((response) => response.end('{}'));
    const traces = await exportTraces({ service: 'things', endpoint });
    await oneCall();
    await traces.stop();
    expect(received).toHaveLength(1);
    expect(received[0]).toMatch(/^\/v1\/traces /);
    expect(received[0]).toContain('{"key":"service.name","value":{"stringValue":"things"}}');
    expect(received[0]?.split('"name":"kit.things.v1.ThingService/GetThing"')).toHaveLength(3);
  });

  it('are sent while it runs', async () => {
    const { endpoint, received } = await collector((response) => response.end('{}'));
    const traces = await exportTraces({ service: 'things', endpoint });
    trace.getTracer('test').startSpan('anything').end();
    await waitFor(() => received.length > 0);
    await traces.stop();
  });

  it('do not keep it from stopping when the collector never answers', async () => {
    const { endpoint, received } = await collector(() => undefined);
    const traces = await exportTraces({ service: 'things', endpoint });
    trace.getTracer('test').startSpan('anything').end();
    const stopped = traces.stop();
    await waitFor(() => received.length > 0);
    await stopped;
  });

  it('are not made at all without a collector', async () => {
    const traces = await exportTraces({ service: 'things', endpoint: undefined });
    expect(trace.getTracer('test').startSpan('nothing').isRecording()).toBe(false);
    await traces.stop();
  });
});
