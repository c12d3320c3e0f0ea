import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import type { KernelHandle, KernelProvider } from '../domain/kernel-provider.ts';
import { forOneOrganisation } from './for-one-organisation.ts';
import { openKernels } from './open-kernels.ts';
import { providerSettings } from './provider-settings.ts';
import { refusedKernels } from './refused-kernels.ts';

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

describe('kernels that would have no sandbox', () => {
  it('are refused to everybody, with the reason and what allows them', async () => {
    const kernels = refusedKernels(provider, 'there is no bubblewrap');
    const refusal = {
      ...{ kind: 'not_provided', code: 'kernels_without_sandbox' },
      message: expect.stringMatching(/no bubblewrap\b.*NOTEBOOKS_WITHOUT_SANDBOX=allow/),
    };
    expect(() => kernels.admit?.('org_1')).toThrow(expect.objectContaining(refusal));
    const limits = { memoryBytes: 1, executeSeconds: 1, outputBytes: 1 };
    const startFor = (organisationId: string | null) =>
      kernels.start({ kernelId: 'k', organisationId, spec: 'python3', limits });
    await expect(startFor('org_1')).rejects.toMatchObject(refusal);
    await startFor(null);
  });

  it('are those of a machine without bubblewrap, unless they are allowed by name', async () => {
    const opened = async (environment: Readonly<Record<string, string>>) => {
      const settings = readConfiguration({ NOTEBOOKS_WARM_KERNELS: '0', ...environment }, providerSettings);
      return openKernels(settings, createLogger({ service: 'notebooks', level: 'silent' }));
    };
    const without = { BWRAP_BINARY: '/nowhere/bwrap' };
    const refused = await opened(without);
    expect(() => refused.admit?.('org_1')).toThrow(expect.objectContaining({ code: 'kernels_without_sandbox' }));
    const allowed = await opened({ ...without, NOTEBOOKS_WITHOUT_SANDBOX: 'allow' });
    expect(() => allowed.admit?.('org_1')).not.toThrow();
    await Promise.all([refused.close(), allowed.close()]);
  });
});
