import { expect } from '@jest/globals';
import { createMetrics } from '@platform-backend/core/metrics';
import { waitFor } from '@platform-backend/testing';
import { itWhere } from '@platform-backend/testing/where';
import { startNotebooksWith } from '../../../test/test-notebooks.ts';
import { sandboxHere } from '../../../test/this-machine.ts';
import { kernelMetrics } from '../providers/kernel-metrics.ts';
import { pyodideProvider } from '../providers/pyodide/pyodide-provider.ts';
import { kernelClient } from './kernel-client.ts';
import { startKernel } from './kernel-suite.ts';

const sandbox = await sandboxHere();
const notLinux = process.platform === 'linux' ? undefined : 'what processes hold is seen on Linux alone';
const MIB = 2 ** 20;

/** What is told of kernels, by the names of the series. */
async function told(address: string): Promise<Record<string, number>> {
  const page = await (await fetch(`http://${address}/metrics`)).text();
  const lines = page.matchAll(/^(notebooks_(?:kernel|replica)\w+(?:\{.*?\})?) (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, name = '', value]) => [name, Number(value)] as const));
}

itWhere(notLinux, 'metrics tell which starts had a warm kernel, what all hold, and why they died', async () => {
  const metrics = createMetrics();
  const provider = pyodideProvider({ sandbox, warm: 1, metrics: kernelMetrics(metrics) });
  const service = await startNotebooksWith(provider);
  try {
    await waitFor(() => (provider.memoryBytes?.() ?? 0) > 0, { what: 'a kernel that is ready' });
    const warm = await startKernel(provider, { restarts: 1 });
    // No kernel is kept ready that may hold so much.
    await startKernel(provider, { memoryBytes: 600 * MIB });
    const page = await metrics.serve('127.0.0.1:0');
    expect(await told(page.address)).toMatchObject({
      'notebooks_kernel_starts_total{start="warm"}': 1,
      'notebooks_kernel_starts_total{start="cold"}': 1,
    });
    const die = 'import os, signal\ntry:\n    os.kill(os.getpid(), signal.SIGKILL)\nfinally:\n    os.abort()';
    // Each time, also when it is begun again.
    await kernelClient(warm).execute(die);
    await kernelClient(warm).execute(die);
    await warm.died;
    expect(await told(page.address)).toMatchObject({ 'notebooks_kernel_deaths_total{reason="process"}': 2 });
    await page.close();
    const pageOfService = await service.frame?.metrics.serve('127.0.0.1:0');
    const ofService = await told(pageOfService?.address ?? '');
    await pageOfService?.close();
    expect(ofService['notebooks_kernel_memory_bytes']).toBeGreaterThan(50 * MIB);
    expect(ofService).toMatchObject({ [`notebooks_replica_kernels{sandbox="${sandbox.kind}"}`]: 0 });
  } finally {
    await service.stop();
  }
});
