import { unchanged, type Decision } from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import { kernelDead, kernelLimitReached, kernelStartsLimitReached } from './errors.ts';

/** As Jupyter says it. */
export type ExecutionState = 'starting' | 'idle' | 'busy' | 'restarting' | 'dead';

/** Why the platform ended a kernel: nobody uses it, it is as old as it may become, nothing is left to pay with. */
export type CullReason = 'idle' | 'lifetime' | 'credits';

/** The same, for people. */
export const culledBecause: Readonly<Record<CullReason, string>> = {
  idle: 'Nobody used it',
  lifetime: 'It was as old as a kernel may become',
  credits: 'There are too few credits for its next minute',
};

/** Why a replica ends a kernel that others take for dead. */
export const leaseLost = 'Its replica was not heard of in time';

/** A kernel that somebody has started. It lives in one replica, which holds a lease. */
export interface Kernel {
  readonly id: string;
  /** Its kind: `python3`. */
  readonly spec: string;
  readonly notebookId: string | null;
  /** Whose credits and limits it counts against, within the organisation. */
  readonly userId: string | null;
  readonly clientGroupId: string | null;
  readonly apiKeyId: string | null;
  /** The replica that it lives in, and where that one is reached; empty where nobody has said so. */
  readonly nodeId: string;
  readonly nodeAddress: string;
  /** From then on it is dead, unless its replica has said meanwhile that it is not. */
  readonly leaseUntil: Date;
  /** `stopped`: somebody ended it, and nobody finds it any more. */
  readonly state: ExecutionState | 'stopped';
  readonly lastActivity: Date;
  /** Clients connected now. */
  readonly connections: number;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
  /** Its minutes are paid for; those of a pipeline's step are paid for with the step. */
  readonly isCharged: boolean;
  /** Minutes that are paid for, from the start on. */
  readonly paidMinutes: number;
}

export type NewKernel = Pick<
  Kernel,
  | 'id'
  | 'spec'
  | 'notebookId'
  | 'userId'
  | 'clientGroupId'
  | 'apiKeyId'
  | 'nodeId'
  | 'nodeAddress'
  | 'leaseUntil'
  | 'isCharged'
>;

/** What an organisation has and may have of kernels. */
export interface KernelUse {
  readonly alive: number;
  readonly startedInLastMinute: number;
}
export interface KernelAllowance {
  readonly kernels: number;
  readonly startsPerMinute: number;
}

type KernelDecision = Decision<Kernel, NotebooksEvent>;

export const isAlive = ({ state }: Pick<Kernel, 'state'>): boolean => state !== 'dead' && state !== 'stopped';

/** Makes room for a kernel. It is told of when it has really started. */
export function startKernel(wanted: NewKernel, use: KernelUse, allowed: KernelAllowance, at: Date): KernelDecision {
  if (use.alive >= allowed.kernels) {
    throw kernelLimitReached({ alive: use.alive });
  }
  if (use.startedInLastMinute >= allowed.startsPerMinute) {
    throw kernelStartsLimitReached();
  }
  const kernel: Kernel = {
    ...wanted,
    state: 'starting',
    lastActivity: at,
    connections: 0,
    startedAt: at,
    endedAt: null,
    paidMinutes: 0,
  };
  return { state: kernel, events: [], result: kernel };
}

/** It takes messages, and its first minute is paid for, if its minutes are. */
export function kernelStarted(kernel: Kernel, at: Date): KernelDecision {
  requireAlive(kernel);
  const { id, spec, notebookId } = kernel;
  const fields = { name: spec, notebook_id: notebookId };
  const state: Kernel = { ...kernel, state: 'idle', lastActivity: at, paidMinutes: kernel.isCharged ? 1 : 0 };
  const change = { before: null, after: fields };
  return {
    state,
    events: [{ name: 'kernel.started', subject: id, at, data: { kernel_id: id, ...fields }, change }],
    result: state,
  };
}

/** CONFLICT: it is dead. */
export function interruptKernel(kernel: Kernel, at: Date): KernelDecision {
  requireAlive(kernel);
  const event: NotebooksEvent = { name: 'kernel.interrupted', subject: kernel.id, at, data: { kernel_id: kernel.id } };
  return { state: { ...kernel, lastActivity: at }, events: [event], result: kernel };
}

/** CONFLICT: it is dead. */
export function restartKernel(kernel: Kernel, at: Date): KernelDecision {
  requireAlive(kernel);
  const event: NotebooksEvent = { name: 'kernel.restarted', subject: kernel.id, at, data: { kernel_id: kernel.id } };
  return { state: { ...kernel, lastActivity: at }, events: [event], result: kernel };
}

/** Somebody ends it. Of one that is dead already nothing is told. */
export function stopKernel(kernel: Kernel, at: Date): KernelDecision {
  const stopped: Kernel = { ...kernel, state: 'stopped', connections: 0, endedAt: kernel.endedAt ?? at };
  const events = isAlive(kernel) ? [ended('kernel.stopped', kernel, stopped, {}, at)] : [];
  return { state: stopped, events, result: stopped };
}

/** The platform ends it. */
export const cullKernel = (kernel: Kernel, reason: CullReason, at: Date): KernelDecision =>
  endsDead('kernel.culled', kernel, reason, at);

/** It has ended, or nobody has heard of it. */
export const kernelDied = (kernel: Kernel, reason: string, at: Date): KernelDecision =>
  endsDead('kernel.died', kernel, reason, at);

/** Its next minute is paid for. */
export function minutePaid(kernel: Kernel, minutes: number): KernelDecision {
  const state = { ...kernel, paidMinutes: Math.max(kernel.paidMinutes, minutes) };
  return { state, events: [], result: state };
}

function endsDead(name: 'kernel.culled' | 'kernel.died', kernel: Kernel, reason: string, at: Date): KernelDecision {
  if (!isAlive(kernel)) return unchanged(kernel);
  const dead: Kernel = { ...kernel, state: 'dead', connections: 0, endedAt: at };
  return { state: dead, events: [ended(name, kernel, dead, { reason }, at)], result: dead };
}

const ended = (
  name: 'kernel.culled' | 'kernel.died' | 'kernel.stopped',
  { id, state: before }: Kernel,
  { state: after }: Kernel,
  why: { readonly reason?: string },
  at: Date,
): NotebooksEvent =>
  ({
    name,
    subject: id,
    at,
    data: { kernel_id: id, ...why },
    change: { before: { state: before }, after: { state: after, ...why } },
  }) as NotebooksEvent;

function requireAlive(kernel: Kernel): void {
  if (!isAlive(kernel)) throw kernelDead();
}
