import { describe, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { freePort } from '@platform-backend/embedded';
import type { KernelHandle, KernelProvider } from '../domain/kernel-provider.ts';
import { ownersInMemory } from '../test/owners-in-memory.ts';
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

const limits = { memoryBytes: 1, executeSeconds: 1, outputBytes: 1 };
const startFor = (kernels: KernelProvider, organisationId: string | null) =>
  kernels.start({ kernelId: 'k', organisationId, spec: 'python3', limits });
const refusal = { kind: 'not_provided', code: 'no_sandbox' };

describe('kernels without a sandbox', () => {
  it('are for the first organisation that starts one, and refused to every other', async () => {
    const kernels = forOneOrganisation(provider, 'here', ownersInMemory());
    await kernels.admit?.('org_2');
    await startFor(kernels, 'org_1');
    await startFor(kernels, 'org_1');
    await kernels.admit?.('org_1');
    await expect(startFor(kernels, 'org_2')).rejects.toMatchObject(refusal);
    await expect(kernels.admit?.('org_2')).rejects.toMatchObject(refusal);
  });

  it('are for the same organisation in every replica, and after a restart', async () => {
    const owners = ownersInMemory();
    await startFor(forOneOrganisation(provider, 'here', owners), 'org_1');
    const another = forOneOrganisation(provider, 'here', owners);
    await expect(another.admit?.('org_2')).rejects.toMatchObject(refusal);
    await expect(startFor(another, 'org_2')).rejects.toMatchObject(refusal);
    await startFor(another, 'org_1');
    await startFor(forOneOrganisation(provider, 'elsewhere', owners), 'org_2');
  });

  it('are for everybody as long as nothing of anybody runs in them', async () => {
    const kernels = forOneOrganisation(provider, 'here', ownersInMemory());
    await startFor(kernels, null);
    await startFor(kernels, 'org_1');
    await startFor(kernels, null);
    await startFor(kernels, 'org_1');
  });
});

describe('kernels of a Jupyter Server', () => {
  it('are for the first organisation that starts one on that server', async () => {
    const owners = ownersInMemory();
    const logger = createLogger({ service: 'notebooks', level: 'silent' });
    const kernelsOf = async (url: string) =>
      await openKernels(readConfiguration({ JUPYTER_URL: url }, providerSettings), logger, owners);
    // Nobody is there: whose kernels they are is settled before it is asked for one.
    const [one, another] = [`http://127.0.0.1:${await freePort()}/`, `http://127.0.0.1:${await freePort()}/`];
    const kernels = await kernelsOf(one);
    await kernels.admit?.('org_2');
    await expect(startFor(kernels, 'org_1')).rejects.toMatchObject({ kind: 'upstream_failed' });
    await kernels.admit?.('org_1');
    await expect(kernels.admit?.('org_2')).rejects.toMatchObject(refusal);
    const replica = await kernelsOf(one);
    await expect(replica.admit?.('org_2')).rejects.toMatchObject(refusal);
    await expect(startFor(replica, 'org_2')).rejects.toMatchObject(refusal);
    await (await kernelsOf(another)).admit?.('org_2');
  });
});

describe('kernels that would have no sandbox', () => {
  it('are refused to everybody, with the reason and what allows them', async () => {
    const kernels = refusedKernels(provider, 'there is no bubblewrap');
    const refusal = {
      ...{ kind: 'not_provided', code: 'kernels_without_sandbox' },
      message: expect.stringMatching(/no bubblewrap\b.*NOTEBOOKS_WITHOUT_SANDBOX=allow/),
    };
    await expect(kernels.admit?.('org_1')).rejects.toMatchObject(refusal);
    await expect(startFor(kernels, 'org_1')).rejects.toMatchObject(refusal);
    await startFor(kernels, null);
  });

  it('are those of a machine without bubblewrap, unless they are allowed by name', async () => {
    const opened = async (environment: Readonly<Record<string, string>>) => {
      const settings = readConfiguration({ NOTEBOOKS_WARM_KERNELS: '0', ...environment }, providerSettings);
      return openKernels(settings, createLogger({ service: 'notebooks', level: 'silent' }), ownersInMemory());
    };
    const without = { BWRAP_BINARY: '/nowhere/bwrap' };
    const refused = await opened(without);
    await expect(refused.admit?.('org_1')).rejects.toMatchObject({ code: 'kernels_without_sandbox' });
    const allowed = await opened({ ...without, NOTEBOOKS_WITHOUT_SANDBOX: 'allow' });
    await allowed.admit?.('org_1');
    await Promise.all([refused.close(), allowed.close()]);
  });
});
