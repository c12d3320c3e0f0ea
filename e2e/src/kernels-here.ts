import { openSandbox } from '@platform-backend/sandbox';
import type { Lack } from '@platform-backend/testing/where';

/**
 * Why journeys have no kernels: without a sandbox these are for the first organisation that starts one, and the journeys share a
 * platform. What newcomers type has one of its own, and kernels there.
 */
export const kernelsForOneLack = async (): Promise<Lack> => {
  const { kind, reason = 'there is no sandbox' } = await openSandbox({ binary: process.env['BWRAP_BINARY'] });
  return kind === 'none' ? reason : undefined;
};
