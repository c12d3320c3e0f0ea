import { declareError } from '@platform-backend/core';

export const badFrame = declareError('malformed', 'bad_frame', 'The frame is no message of Jupyter');
export const noKernel = declareError('malformed', 'no_kernel', 'No kernel is named');
export const clientTooSlow = declareError('conflict', 'client_too_slow', 'The client reads too slowly');
export const kernelSpecNotFound = declareError('not_found', 'kernel_spec_not_found', 'Kernel spec not found');
export const kernelDead = declareError('conflict', 'kernel_dead', 'The kernel is dead');
export const kernelNotFound = declareError('not_found', 'kernel_not_found', 'Kernel not found');
export const kernelLimitReached = declareError(
  'conflict',
  'kernel_limit_reached',
  'The organisation has {alive} kernels, as many as it may have',
);
export const noSandbox = declareError(
  'not_provided',
  'no_sandbox',
  'Kernels are for one organisation alone here, and another one uses them',
  3600,
);
export const kernelsNotAllowed = declareError(
  'not_provided',
  'kernels_without_sandbox',
  'Kernels are refused here, as they would have no sandbox: {reason}. Who runs the platform may allow that by NOTEBOOKS_WITHOUT_SANDBOX=allow',
  3600,
);
export const sessionNotFound = declareError('not_found', 'session_not_found', 'Session not found');
export const sessionPathTaken = declareError('conflict', 'session_path_taken', 'Another session has this path');
export const kernelElsewhere = declareError('unavailable', 'kernel_elsewhere', 'Service Unavailable');
export const kernelReplicaFull = declareError(
  'unavailable',
  'kernel_replica_full',
  'As many kernels run here as may; try again in a moment',
  10,
);
export const invalidMessage = declareError('malformed', 'invalid_message', '{trouble}');
export const kernelStartsLimitReached = declareError(
  'rate_limited',
  'kernel_starts_limit_reached',
  'The organisation has started as many kernels within a minute as it may',
  60,
);
