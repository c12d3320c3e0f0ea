import type { Contract } from '@platform-backend/contract';
import { loadPlatformWithStreams, loadStreams } from '@platform-backend/contract/testing/sample-contract';
import type { CallContext } from '@platform-backend/grpc';
import path from 'node:path';
import { startGatewayHere, type Gateway } from './gateway-here.ts';
import { startGatewayProcess, type GatewayProcess } from './gateway-process.ts';
import { startPlatformContext, type PlatformContext } from './platform-under-test.ts';
import { startStandInService, type StandInHandler } from './stand-in-service.ts';

const MAIN = path.join(import.meta.dirname, 'streams-gateway.ts');
let contract: Contract | undefined;

/** Gateways whose contract has operations with streams, and a service that answers these. */
export interface StreamsUnderTest {
  readonly platform: PlatformContext;
  /** With the settings that it has unless a test changes them. */
  readonly gateway: Gateway;
  /** Another one. */
  startGateway(env: Readonly<Record<string, string>>): Promise<Gateway>;
  /** Another one in a process of its own, which is sent signals. */
  startGatewayProcess(env: Readonly<Record<string, string>>): Promise<GatewayProcess>;
  /** What the service answers to `WatchSample`. */
  on(method: string, handler: (request: never, context: CallContext) => unknown): void;
  /** A request with Ada's token, unless `headers` say otherwise. */
  fetch(path: string, init?: RequestInit & { duplex?: 'half' }, gateway?: Gateway): Promise<Response>;
  /** Resolves when a number above zero grows no more, while others are answered one after the other, and with it. */
  stalled(count: () => number, gateway?: Gateway): Promise<number>;
  stop(): Promise<void>;
}

/** So many answers of the same gateway and service pass by, and in each of them what can move moves. */
const ANSWERS = 100;

export async function startStreams(): Promise<StreamsUnderTest> {
  const platform = await startPlatformContext();
  const handlers = new Map<string, StandInHandler>();
  const { publicKeys } = platform;
  const service = await startStandInService({ domain: 'streams', publicKeys, handlers, contract: loadStreams() });
  const token = await platform.issuer.token();
  const own = { ...platform.env, STREAMS_ADDRESS: service.address };
  contract ??= loadPlatformWithStreams();
  const startGateway = (env: Readonly<Record<string, string>>) => startGatewayHere({ ...own, ...env }, contract);
  const gateway = await startGateway({});
  const ask = { method: 'POST', body: '{"question":"why?"}', headers: { authorization: `Bearer ${token}` } };
  return {
    platform,
    gateway,
    startGateway,
    startGatewayProcess: (env) => startGatewayProcess({ ...own, ...env }, MAIN),
    on: (method, handler) => void handlers.set(`StreamService/${method}`, handler),
    fetch: (target, init = {}, { url } = gateway) =>
      fetch(url + target, {
        ...init,
        headers: { authorization: `Bearer ${token}`, ...(init.headers as Record<string, string> | undefined) },
      }),
    stalled: async (count, { url } = gateway) => {
      for (let before = 0; ;) {
        for (let answered = 0; answered < ANSWERS; answered += 1)
          await (await fetch(`${url}/samples/3fa85f64-5717-4562-b3fc-2c963f66afa6/ask`, ask)).text();
        const now = count();
        if (now > 0 && now === before) return now;
        before = now;
      }
    },
    stop: async () => {
      await gateway.stop();
      await Promise.all([service.drain(), platform.stop()]);
    },
  };
}

export interface ServerSentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly retry?: string;
  readonly data: unknown;
}

/** The events of an answer as they come; comments are left out. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerSentEvent> {
  let text = '';
  for await (const piece of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += piece;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n').filter((line) => !line.startsWith(':'));
      if (lines.length === 0) continue;
      const fields: Record<string, string> = Object.fromEntries(
        lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      );
      yield { ...fields, data: JSON.parse(fields['data'] ?? 'null') as unknown };
    }
  }
}

export const KIB_64 = Buffer.alloc(64 * 1024, 'x');
/** So many times 64 KiB are more than sockets and the buffers between them take: 128 MiB. */
export const MANY = 2048;
