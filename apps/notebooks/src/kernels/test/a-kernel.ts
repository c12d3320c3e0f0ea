import { startKernel, type Kernel } from '../domain/kernel.ts';

/** A kernel that starts, at this time. */
export const aKernel = (at: Date, changes: Partial<Kernel> = {}): Kernel => ({
  ...startKernel(
    {
      id: 'k',
      spec: 'python3',
      notebookId: null,
      userId: null,
      clientGroupId: null,
      apiKeyId: null,
      nodeId: 'n',
      nodeAddress: '',
      leaseUntil: at,
      isCharged: true,
    },
    { alive: 0, startedInLastMinute: 0 },
    { kernels: 1, startsPerMinute: 1 },
    at,
  ).state,
  ...changes,
});
