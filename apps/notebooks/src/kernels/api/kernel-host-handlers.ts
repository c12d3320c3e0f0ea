import type { ConnectKernelRequest, KernelHostServiceHandlers } from '@platform-backend/contract-notebooks';
import type { CallContext } from '@platform-backend/grpc';
import { noKernel } from '../domain/errors.ts';
import type { KernelHost } from '../domain/kernel-host.ts';
import type { Channel, KernelMessage } from '../domain/kernel-provider.ts';

/** What other replicas ask of the kernels of this one. */
export const kernelHostHandlers = (running: KernelHost): KernelHostServiceHandlers<CallContext> => ({
  async controlKernel({ kernelId, control }, context) {
    const organisationId = context.organisationId();
    if (control === 'INTERRUPT') await running.interrupt(organisationId, kernelId);
    if (control === 'RESTART') await running.restart(organisationId, kernelId);
    if (control === 'SHUTDOWN') await running.shutdown(organisationId, kernelId);
    if (control === 'REFRESH') await running.refresh(organisationId, kernelId);
    return {};
  },

  async *connectKernel(requests, context) {
    const reading = requests[Symbol.asyncIterator]();
    const first = await reading.next();
    if (first.done) throw noKernel();
    const { kernelId, sessionId } = first.value;
    const heard = await running.connect(context.organisationId(), kernelId, sessionId, messagesIn(reading));
    yield {};
    for await (const message of heard) yield { message: { ...message, buffers: [...message.buffers] } };
  },
});

async function* messagesIn(requests: AsyncIterator<ConnectKernelRequest>): AsyncGenerator<KernelMessage> {
  for (let next = await requests.next(); !next.done; next = await requests.next()) {
    const { message } = next.value;
    // It was read by the replica that the client is connected to.
    if (message) yield { ...message, channel: message.channel as Channel };
  }
}
