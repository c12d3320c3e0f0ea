import { openSandbox } from '@platform-backend/sandbox';
import type { Lack } from '@platform-backend/testing/where';

/**
 * Why only one organisation has kernels on the platform that journeys share: without a sandbox they are for the first that starts
 * one, which is that of the real Jupyter client.
 */
export const kernelsForOneLack = async (): Promise<Lack> => {
  const { kind, reason = 'there is no sandbox' } = await openSandbox({ binary: process.env['BWRAP_BINARY'] });
  return kind === 'none' ? reason : undefined;
};
