// Generated from protos/platform/notebooks/v1 by `npm run generate`. Do not edit.
import type { ClientCall, Handler } from '../messages.ts';

/** KernelService owns running kernels. */
export interface KernelServiceHandlers<Context> {
  /**
   * Stops what the kernel is computing and keeps its memory.
   * NOT_FOUND: no such kernel. CONFLICT: it is dead.
   */
  interruptKernel: Handler<InterruptKernelRequest, InterruptKernelResponseInput, Context>;
  /** The kernels of the organisation that are alive. */
  listRunningServices: Handler<ListRunningServicesRequest, RunningServicesInput, Context>;
}

/** KernelService owns running kernels. */
export interface KernelServiceClient<Options = unknown> {
  /**
   * Stops what the kernel is computing and keeps its memory.
   * NOT_FOUND: no such kernel. CONFLICT: it is dead.
   */
  interruptKernel: ClientCall<InterruptKernelRequestInput, InterruptKernelResponse, Options>;
  /** The kernels of the organisation that are alive. */
  listRunningServices: ClientCall<ListRunningServicesRequestInput, RunningServices, Options>;
}

/** NotebookService owns notebooks. */
export interface NotebookServiceHandlers<Context> {
  /** Stops the notebook's kernels first. */
  deleteNotebook: Handler<DeleteNotebookRequest, DeletedInput, Context>;
}

/** NotebookService owns notebooks. */
export interface NotebookServiceClient<Options = unknown> {
  /** Stops the notebook's kernels first. */
  deleteNotebook: ClientCall<DeleteNotebookRequestInput, Deleted, Options>;
}

export interface RunningServices {
  services: RunningService[];
}

/** `RunningServices`, to be written. */
export interface RunningServicesInput {
  services: readonly RunningServiceInput[];
}

export interface RunningService {
  kernelId: string;
  notebookId: string;
  name: string;
  /** `starting`, `idle` or `busy`, as Jupyter says it. */
  executionState: string;
  lastActivity: Date | null;
  /** Clients connected now. */
  connections: number;
  startedAt: Date | null;
}

/** `RunningService`, to be written. */
export interface RunningServiceInput {
  kernelId: string;
  notebookId: string;
  name: string;
  executionState: string;
  lastActivity?: Date | null | undefined;
  connections: number;
  startedAt?: Date | null | undefined;
}

export interface InterruptKernelRequest {
  kernelId: string;
}

/** `InterruptKernelRequest`, to be written. */
export interface InterruptKernelRequestInput {
  kernelId: string;
}

export type InterruptKernelResponse = Record<string, never>;

/** `InterruptKernelResponse`, to be written. */
export type InterruptKernelResponseInput = Record<string, never>;

export type ListRunningServicesRequest = Record<string, never>;

/** `ListRunningServicesRequest`, to be written. */
export type ListRunningServicesRequestInput = Record<string, never>;

/** The answer to a delete. */
export interface Deleted {
  id: string;
  deleted: boolean;
}

/** `Deleted`, to be written. */
export interface DeletedInput {
  id: string;
  deleted: boolean;
}

export interface DeleteNotebookRequest {
  notebookId: string;
}

/** `DeleteNotebookRequest`, to be written. */
export interface DeleteNotebookRequestInput {
  notebookId: string;
}
