import type { PlatformFacts } from './platform.ts';
import { replicaOf } from './replicas.ts';

/** Where a gateway is whose notebooks have other kernels; everything else is the platform's. */
export const platformWithKernels = async (
  platform: PlatformFacts,
  make: string,
  settings: Record<string, string>,
): Promise<{ url: string; stop: () => Promise<void> }> => {
  const metrics = { METRICS_LISTEN: '127.0.0.1:0', GATEWAY_METRICS_PORT: '0' };
  const notebooks = await replicaOf(
    platform,
    'notebooks',
    `notebooks-${make}`,
    (port) => ({ NOTEBOOKS_LISTEN: `127.0.0.1:${port}`, ...metrics }),
    // Runs of other journeys would be the first to have a server's kernels, which are for one organisation.
    { ...settings, NOTEBOOKS_DATABASE_POOL: '5', NOTEBOOKS_RUN_CONCURRENCY: '0' },
  );
  const gateway = await replicaOf(
    platform,
    'gateway',
    `gateway-${make}`,
    (port) => ({ PLATFORM_PORT: String(port), ...metrics }),
    { NOTEBOOKS_ADDRESS: notebooks.address },
  );
  return {
    url: `http://${gateway.address}`,
    async stop() {
      await gateway.stop();
      await notebooks.stop();
    },
  };
};
