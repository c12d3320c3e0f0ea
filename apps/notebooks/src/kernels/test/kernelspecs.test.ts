import { afterAll, expect, it } from '@jest/globals';
import { readConfiguration } from '@platform-backend/core';
import { createLogger } from '@platform-backend/core/logger';
import { programsDirectory } from '@platform-backend/testing';
import { dirname } from 'node:path';
import { openKernels } from '../providers/open-kernels.ts';
import { providerSettings } from '../providers/provider-settings.ts';
import { kernelClient } from './kernel-client.ts';
import { usualLimits } from './kernel-suite.ts';
import { ownersInMemory } from './owners-in-memory.ts';

const kernelspecs = [
  { name: 'small', memory_mb: 448 },
  { name: 'large', display_name: 'Python (1 GB)', memory_mb: 1024 },
];
const settings = readConfiguration(
  {
    BWRAP_BINARY: process.env['BWRAP_BINARY'],
    NOTEBOOKS_KERNELSPECS: JSON.stringify(kernelspecs),
    NOTEBOOKS_WARM_KERNELS: '0',
    NOTEBOOKS_WITHOUT_SANDBOX: 'allow',
    PLATFORM_HOME: dirname(programsDirectory()),
  },
  providerSettings,
);
const provider = await openKernels(settings, createLogger({ service: 'notebooks', level: 'silent' }), ownersInMemory());
afterAll(() => provider.close());

it('has several kernels, each with the memory of its own, whoever starts it', async () => {
  expect((await provider.specs()).map(({ name, displayName }) => [name, displayName])).toEqual([
    ['small', 'Python 3 (Pyodide)'],
    ['large', 'Python (1 GB)'],
  ]);
  const start = async (spec: string) =>
    kernelClient(await provider.start({ kernelId: spec, organisationId: 'org_1', spec, limits: usualLimits }));
  const fill = 'kept = bytearray(300 * 2**20); print(len(kept))';
  const [small, large] = [await start('small'), await start('large')];
  expect((await small.execute(fill)).reply).toMatchObject({ status: 'error', ename: 'MemoryError' });
  expect((await large.execute(fill)).text('stdout')).toBe('314572800\n');
  await expect(start('python3')).rejects.toMatchObject({ code: 'kernel_spec_not_found' });
});
