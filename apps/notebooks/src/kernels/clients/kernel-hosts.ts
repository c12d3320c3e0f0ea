import type {
  ConnectKernelAnswer,
  ConnectKernelRequestInput,
  KernelHostServiceClient,
} from '@platform-backend/contract-notebooks';
import type { CallOptions, Closable } from '@platform-backend/grpc';
import type { KernelHost } from '../domain/kernel-host.ts';
import type { Channel, KernelMessage } from '../domain/kernel-provider.ts';

export type KernelHostClient = KernelHostServiceClient<CallOptions> & Closable;

/** Of a client that is connected, in milliseconds; nothing need move meanwhile. */
const CONNECTION_IDLE_MS = 24 * 60 * 60_000;
/** A restart takes as long as a start. */
const CONTROL_TIMEOUT_MS = 30_000;

export interface KernelHosts {
  readonly at: (address: string) => KernelHost;
  readonly close: () => void;
}

/** The other replicas, each with one connection that is opened when it is first needed. */
export function kernelHosts(clientAt: (address: string) => KernelHostClient): KernelHosts {
  const clients = new Map<string, KernelHostClient>();
  return {
    at(address) {
      const client = clients.get(address) ?? clientAt(address);
      clients.set(address, client);
      return remoteHost(client);
    },
    close() {
      for (const client of clients.values()) client.close();
    },
  };
}

const remoteHost = (client: KernelHostClient): KernelHost => {
  const control =
    (what: 'INTERRUPT' | 'REFRESH' | 'RESTART' | 'SHUTDOWN') =>
    async (organisationId: string, kernelId: string): Promise<void> => {
      const options = { caller: { organisationId }, timeoutMs: CONTROL_TIMEOUT_MS };
      await client.controlKernel({ kernelId, control: what }, options);
    };
  return {
    interrupt: control('INTERRUPT'),
    restart: control('RESTART'),
    shutdown: control('SHUTDOWN'),
    refresh: control('REFRESH'),
    async connect(organisationId, kernelId, sessionId, messages) {
      const options = { caller: { organisationId }, idleMs: CONNECTION_IDLE_MS };
      const answers = client.connectKernel(requestsOf(kernelId, sessionId, messages), options)[Symbol.asyncIterator]();
      // Whether it can be connected is known with the first answer.
      await answers.next();
      return messagesOf(answers);
    },
  };
};

async function* requestsOf(
  kernelId: string,
  sessionId: string,
  messages: AsyncIterable<KernelMessage>,
): AsyncGenerator<ConnectKernelRequestInput> {
  yield { kernelId, sessionId };
  for await (const message of messages) yield { message: { ...message, buffers: [...message.buffers] } };
}

async function* messagesOf(answers: AsyncIterator<ConnectKernelAnswer>): AsyncGenerator<KernelMessage> {
  try {
    for (let next = await answers.next(); !next.done; next = await answers.next()) {
      const { message } = next.value;
      // The other replica has it from a kernel, through the same types.
      if (message) yield { ...message, channel: message.channel as Channel };
    }
  } finally {
    await answers.return?.();
  }
}
