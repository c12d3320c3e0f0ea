import type { KernelMessage } from './kernel-provider.ts';

/** Bytes that a message takes on its way, for counting. */
export const sizeOf = ({ header, parentHeader, metadata, content, buffers }: KernelMessage): number =>
  [header, parentHeader, metadata, content, ...buffers].reduce((sum, part) => sum + part.length, 0);
