import type { KernelServiceHandlers } from '@platform-backend/contract-notebooks';
import type { CallContext } from '@platform-backend/grpc';
import type { KernelUseCases } from '../app/kernels.ts';
import { isAlive } from '../domain/kernel.ts';

export const kernelHandlers = (app: KernelUseCases): KernelServiceHandlers<CallContext> => ({
  async interruptKernel({ kernelId }, context) {
    await app.interruptKernel(context.actorContext(), kernelId);
    return {};
  },

  async listRunningServices(_request, context) {
    const kernels = (await app.listKernels(context.organisationId())).filter(isAlive);
    const services = kernels.map(({ id, notebookId, spec, state, lastActivity, connections, startedAt }) => ({
      kernelId: id,
      notebookId,
      name: spec,
      executionState: state,
      lastActivity,
      connections,
      startedAt,
    }));
    return { services };
  },
});
