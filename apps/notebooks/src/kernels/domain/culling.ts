import type { CullReason, ExecutionState } from './kernel.ts';

/** Milliseconds. */
export interface CullingRules {
  /** Without a client and without work. */
  readonly idleMs: number;
  /** With a client and without work. */
  readonly connectedIdleMs: number;
  /** Of any kernel, whatever it does. */
  readonly lifetimeMs: number;
}

/** How a kernel is used. */
export interface KernelActivity {
  readonly state: ExecutionState;
  readonly lastActivity: Date;
  readonly connections: number;
  readonly begunAt: Date;
}

/** Why a kernel has to go; undefined while it may stay. One that works is never too idle. */
export function cullReason(
  { state, lastActivity, connections, begunAt }: KernelActivity,
  { idleMs, connectedIdleMs, lifetimeMs }: CullingRules,
  at: Date,
): CullReason | undefined {
  if (at.getTime() - begunAt.getTime() >= lifetimeMs) return 'lifetime';
  if (state === 'busy') return undefined;
  const timeoutMs = connections > 0 ? connectedIdleMs : idleMs;
  return at.getTime() - lastActivity.getTime() >= timeoutMs ? 'idle' : undefined;
}
