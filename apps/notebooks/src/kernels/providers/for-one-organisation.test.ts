import { describe, expect, it } from '@jest/globals';
import type { KernelHandle, KernelProvider } from '../domain/kernel-provider.ts';
import { forOneOrganisation } from './for-one-organisation.ts';

const provider: KernelProvider = {
  name: 'any',
  specs: () => Promise.resolve([]),
  start: () => Promise.resolve({} as KernelHandle),
  close: () => Promise.resolve(),
};

describe('kernels without a sandbox', () => {
  it('are for the first organisation that starts one, and refused to every other', async () => {
    const kernels = forOneOrganisation(provider);
    const limits = { memoryBytes: 1, executeSeconds: 1, outputBytes: 1 };
    const startFor = (organisationId: string | null) =>
      kernels.start({ kernelId: 'k', organisationId, spec: 'python3', limits });
    kernels.admit?.('org_2');
    await startFor('org_1');
    await startFor('org_1');
    kernels.admit?.('org_1');
    const refusal = { kind: 'not_provided', code: 'no_sandbox' };
    await expect(startFor('org_2')).rejects.toMatchObject(refusal);
    expect(() => kernels.admit?.('org_2')).toThrow(expect.objectContaining(refusal));
  });

  it('are for everybody as long as nothing of anybody runs in them', async () => {
    const kernels = forOneOrganisation(provider);
    const limits = { memoryBytes: 1, executeSeconds: 1, outputBytes: 1 };
    const startFor = (organisationId: string | null) =>
      kernels.start({ kernelId: 'k', organisationId, spec: 'python3', limits });
    await startFor(null);
    await startFor('org_1');
    await startFor(null);
    await startFor('org_1');
  });
});
