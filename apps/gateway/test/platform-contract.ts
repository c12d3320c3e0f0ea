import type { Contract } from '@platform-backend/contract';
import { loadPlatformContract } from '@platform-backend/contracts';

let loaded: Contract | undefined;

/** The contract of the platform, read once by all that tests start in their own process. */
export const platformContract = (): Contract => (loaded ??= loadPlatformContract());
