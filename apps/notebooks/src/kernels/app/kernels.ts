import {
  DomainError,
  isUnavailable,
  isNotFound,
  newId,
  type ActorContext,
  type Clock,
  serviceActorContext,
  type Decision,
  type Logger,
} from '@platform-backend/core';
import type { NotebooksEvent } from '../../events.ts';
import type { Credits, Payer } from '../domain/credits.ts';
import { kernelDead, kernelElsewhere, kernelReplicaFull, kernelSpecNotFound } from '../domain/errors.ts';
import type { KernelFolders } from '../domain/kernel-folder.ts';
import type { KernelHost } from '../domain/kernel-host.ts';
import type { KernelHandle, KernelLimits, KernelMessage, KernelProvider } from '../domain/kernel-provider.ts';
import {
  abandonKernel,
  interruptKernel,
  isAlive,
  kernelDied,
  kernelStarted,
  restartKernel,
  reviveKernel,
  startKernel,
  stopKernel,
  type ExecutionState,
  type Kernel,
  type KernelAllowance,
} from '../domain/kernel.ts';
import type { Kernels } from '../domain/kernels.ts';
import { notebookNameIn, type Session } from '../domain/session.ts';
import { minuteDebits } from './minute-debits.ts';
import type { RunningKernels } from './running-kernels.ts';

export interface KernelPorts {
  readonly kernels: Kernels;
  /** Undefined: the organisation has no notebook of this name. */
  readonly notebookNamed: (organisationId: string, name: string) => Promise<{ readonly id: string } | undefined>;
  readonly provider: KernelProvider;
  readonly folders: Pick<KernelFolders, 'of'>;
  /** Variables of the kernels of an organisation. */
  readonly environmentOf: (organisationId: string) => Promise<Readonly<Record<string, string>>>;
  readonly running: RunningKernels;
  /** Another replica, by its address. */
  readonly hostAt: (address: string) => KernelHost;
  readonly credits: Credits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly node: { readonly id: string; readonly address: string };
  /** How long a lease lasts. */
  readonly leaseMs: number;
  /** `ofReplica`: of all organisations together, in this process. */
  readonly allowed: KernelAllowance & { readonly ofReplica: number };
  readonly limits: KernelLimits;
}

export interface KernelInput {
  /** The usual one unless given. */
  readonly spec?: string | undefined;
  /** Of a notebook, or any other. */
  readonly path?: string | undefined;
}

/** A kernel for one job. */
export interface JobKernelInput {
  /** The usual one unless given. */
  readonly spec?: string | undefined;
  readonly notebookId: string | null;
  readonly isCharged: boolean;
  readonly limits: KernelLimits;
}

/** It has started. */
export interface StartedKernel {
  readonly id: string;
  readonly handle: KernelHandle;
  /** Resolves with the reason when it is no more, whoever ended it. */
  readonly gone: Promise<string>;
}

/** A kernel as it is now. */
export type ObservedKernel = Omit<Kernel, 'state'> & { readonly state: ExecutionState };

export type KernelUseCases = ReturnType<typeof kernelUseCases>;

const MINUTE_MS = 60_000;
/** How long a client waits for a kernel to have started; afterwards it hears that it is starting. */
const PROMPT_MS = 4_000;
/** Of one that dies by itself, within an hour. */
const MAX_RESTARTS = 5;

export function kernelUseCases(ports: KernelPorts) {
  const { kernels, notebookNamed, provider, running, hostAt, credits, clock, logger, node, leaseMs } = ports;

  /** NOT_FOUND: there is no such kind of kernel. */
  const specNamed = async (name: string | undefined) => {
    const specs = await provider.specs();
    const spec = name === undefined || name === '' ? specs[0] : specs.find((one) => one.name === name);
    if (!spec) throw kernelSpecNotFound();
    return spec;
  };

  /** The replica of a kernel; undefined when nobody can reach it. */
  const hostOf = (kernel: Kernel): KernelHost => {
    if (kernel.nodeId === node.id) return running;
    if (kernel.nodeAddress === '') throw kernelElsewhere();
    return hostAt(kernel.nodeAddress);
  };

  /** CONFLICT: it is dead. */
  const alive = async (organisationId: string, kernelId: string): Promise<Kernel> => {
    const kernel = await kernels.get(organisationId, kernelId);
    if (!isAlive(kernel)) throw kernelDead();
    return kernel;
  };

  const now = (kernel: Kernel): ObservedKernel => {
    const here = running.find(kernel.id);
    const known = here && isAlive(kernel) ? { ...kernel, ...here, id: kernel.id } : kernel;
    const { state } = known;
    return {
      ...kernel,
      lastActivity: known.lastActivity,
      connections: known.connections,
      state: state as ExecutionState,
    };
  };

  const shutdown = async (organisationId: string, kernel: Kernel): Promise<void> => {
    if (!isAlive(kernel)) return;
    try {
      await hostOf(kernel).shutdown(organisationId, kernel.id);
    } catch (error) {
      // It ends when its replica asks for its lease.
      if (!isUnavailable(error) && !isNotFound(error)) throw error;
    }
  };

  const stopped = (organisationId: string, kernel: Kernel) =>
    stopKernel(kernel, clock.now(), minuteDebits(credits, organisationId));

  const end = async (by: ActorContext, kernel: Kernel): Promise<void> => {
    await shutdown(by.organisationId, kernel);
    await kernels.update(by, kernel.id, (known) => stopped(by.organisationId, known));
  };

  /** Memory and processes of this machine are shared by all. */
  const requireRoom = (): void => {
    if (running.all().length >= ports.allowed.ofReplica) throw kernelReplicaFull();
  };

  /** Of a kernel of a notebook; what its cells write is told as its user's. */
  const folderOf = ({ organisationId }: Payer, { id, notebookId, userId }: Kernel) => {
    if (notebookId === null) return undefined;
    const by = serviceActorContext('notebooks', organisationId, newId());
    return ports.folders.of({ ...by, actor: { ...by.actor, userId } }, notebookId, id);
  };

  /** It has started when this resolves; else nothing is left of it. */
  const begin = async (
    by: Payer,
    kernel: Kernel,
    limits: KernelLimits,
    failed: (known: Kernel) => Decision<Kernel, NotebooksEvent> = (known) => abandonKernel(known, clock.now()),
  ): Promise<StartedKernel> => {
    const { organisationId } = by;
    const { id: kernelId, spec } = kernel;
    try {
      const reservation = kernel.isCharged ? await credits.reserveMinute(by) : undefined;
      try {
        // Others have come meanwhile; from here on it is one of those that are counted.
        requireRoom();
        const starting = provider.start({
          ...{ kernelId, organisationId, spec, limits, folder: folderOf(by, kernel) },
          environment: () => ports.environmentOf(organisationId),
        });
        const gone = running.add(organisationId, kernel, starting);
        const started = { id: kernelId, handle: await starting, gone };
        const debits = minuteDebits(credits, organisationId, { minute: kernel.billedMinutes, reservation });
        await kernels.update(by, kernelId, (known) => kernelStarted(known, clock.now(), debits));
        return started;
      } catch (error) {
        await reservation?.release();
        throw error;
      }
    } catch (error) {
      if (running.find(kernelId)) await running.shutdown(organisationId, kernelId).catch(() => undefined);
      // It was never told of, so nothing is told of its end.
      await kernels
        .update(by, kernelId, failed)
        .catch((second: unknown) =>
          logger.warn({ event: 'kernel.stale', err: second, kernelId }, 'a kernel is in the list that is not there'),
        );
      throw error;
    }
  };

  const add = async (by: Payer, wanted: Pick<JobKernelInput, 'spec' | 'notebookId' | 'isCharged'>) => {
    const { actor, clientGroupId, apiKeyId } = by;
    const spec = await specNamed(wanted.spec);
    await provider.admit?.(by.organisationId);
    requireRoom();
    const at = clock.now();
    return kernels.add(by, new Date(at.getTime() - MINUTE_MS), (use) =>
      startKernel(
        {
          id: newId(),
          spec: spec.name,
          notebookId: wanted.notebookId,
          userId: actor.userId,
          clientGroupId,
          apiKeyId,
          nodeId: node.id,
          nodeAddress: node.address,
          leaseUntil: new Date(at.getTime() + leaseMs),
          isCharged: wanted.isCharged,
        },
        use,
        ports.allowed,
        at,
      ),
    );
  };

  const start = async (by: Payer, { spec, path }: KernelInput): Promise<ObservedKernel> => {
    const name = path === undefined ? undefined : notebookNameIn(path);
    const notebook = name === undefined ? undefined : await notebookNamed(by.organisationId, name);
    const kernel = await add(by, { spec, notebookId: notebook?.id ?? null, isCharged: true });
    const kernelId = kernel.id;
    const started = begin(by, kernel, { ...ports.limits, restarts: MAX_RESTARTS });
    await prompt(started, kernelId);
    return now(await kernels.get(by.organisationId, kernelId));
  };

  /** Some kinds take long, and whoever waits for an answer has given up by then. */
  const prompt = async (started: Promise<unknown>, kernelId: string): Promise<void> => {
    await Promise.race([started, new Promise((resolve) => setTimeout(resolve, PROMPT_MS).unref())]);
    started.catch((error: unknown) =>
      logger.warn({ event: 'kernel.start_failed', err: error, kernelId }, 'a kernel did not start'),
    );
  };

  const beginAgain = async (by: Payer, kernel: Kernel): Promise<void> => {
    // Others take it for dead as soon as that is written down, and this replica ends it afterwards.
    if (running.find(kernel.id)) await running.shutdown(by.organisationId, kernel.id).catch(() => undefined);
    const didNotStart = (known: Kernel) => kernelDied(known, 'It did not start', { at: clock.now() }, () => []);
    await begin(by, kernel, { ...ports.limits, restarts: MAX_RESTARTS }, didNotStart);
  };

  /** The same kernel anew, in this replica, unless somebody was quicker. Where it does not start it stays dead. */
  const revive = async (by: Payer, kernelId: string): Promise<ObservedKernel> => {
    await provider.admit?.(by.organisationId);
    requireRoom();
    const at = clock.now();
    const where = { nodeId: node.id, nodeAddress: node.address, leaseUntil: new Date(at.getTime() + leaseMs) };
    const kernel = await kernels.revive(by, kernelId, new Date(at.getTime() - MINUTE_MS), (known, use) =>
      reviveKernel(known, where, use, ports.allowed, at),
    );
    if (kernel) await prompt(beginAgain(by, kernel), kernelId);
    return now(await kernels.get(by.organisationId, kernelId));
  };

  return {
    kernelSpecs: () => provider.specs(),
    kernelSpec: specNamed,

    /** NOT_PROVIDED: no kernel is for this organisation here. */
    checkAccess: async (organisationId: string): Promise<void> => provider.admit?.(organisationId),

    /**
     * PAYMENT_REQUIRED: there are too few credits for a minute. Nothing else is refused: while billing is away nobody knows, and
     * where kernels are not for the organisation whoever starts one hears that.
     */
    async requireMinute(by: Payer): Promise<void> {
      try {
        await provider.admit?.(by.organisationId);
        await (await credits.reserveMinute(by))?.release();
      } catch (error) {
        if (error instanceof DomainError && error.kind === 'payment_required') throw error;
      }
    },

    startKernel: start,

    /** It has started when this resolves. Whoever asks for it stops it. */
    startJobKernel: async (by: Payer, wanted: JobKernelInput): Promise<StartedKernel> =>
      begin(by, await add(by, wanted), wanted.limits),

    getKernel: async (organisationId: string, kernelId: string) => now(await kernels.get(organisationId, kernelId)),
    /** The dead among them, until somebody stops them or an hour has gone by. */
    listKernels: async (organisationId: string) => (await kernels.list(organisationId)).map(now),

    /** CONFLICT: it is dead. */
    async interruptKernel(by: ActorContext, kernelId: string): Promise<void> {
      const record = () => kernels.update(by, kernelId, (known) => interruptKernel(known, clock.now()));
      const { organisationId } = by;
      if (running.find(kernelId)) {
        // What is here lives: somebody waits for it, and for nothing that is to be read first.
        await Promise.all([running.interrupt(organisationId, kernelId), record()]);
        return;
      }
      await hostOf(await alive(organisationId, kernelId)).interrupt(organisationId, kernelId);
      await record();
    },

    /** One that is dead is begun again, as a new one would be: PAYMENT_REQUIRED, CONFLICT: there are as many as there may be. */
    async restartKernel(by: Payer, kernelId: string): Promise<ObservedKernel> {
      const kernel = await kernels.get(by.organisationId, kernelId);
      if (!isAlive(kernel)) return revive(by, kernelId);
      await prompt(hostOf(kernel).restart(by.organisationId, kernelId), kernelId);
      return now(await kernels.update(by, kernelId, (known) => restartKernel(known, clock.now())));
    },

    async stopKernel(by: ActorContext, kernelId: string): Promise<void> {
      // Also while the database is away: then the lease of what is no more runs out.
      if (running.find(kernelId)) await running.shutdown(by.organisationId, kernelId);
      await end(by, await kernels.get(by.organisationId, kernelId));
    },

    /** The session is as it is given, with another kernel, and this one ends: both or neither. */
    async replaceKernel(by: ActorContext, kernelId: string, session: Session): Promise<void> {
      const kernel = await kernels.get(by.organisationId, kernelId);
      await kernels.replace(by, kernelId, session, (known) => stopped(by.organisationId, known));
      await shutdown(by.organisationId, kernel);
    },

    /** Kernels that work in the folder of a notebook hear that it is another, but for the one that has changed it. */
    async refreshFolder(organisationId: string, notebookId: string, writer: string | undefined): Promise<void> {
      const others = (await kernels.list(organisationId, notebookId)).filter(
        (kernel) => isAlive(kernel) && kernel.id !== writer,
      );
      // One that cannot be reached reads the folder when it begins again.
      const refresh = async (kernel: Kernel): Promise<void> => {
        try {
          await hostOf(kernel).refresh(organisationId, kernel.id);
        } catch (error) {
          if (!isUnavailable(error) && !isNotFound(error)) throw error;
        }
      };
      await Promise.all(others.map(refresh));
    },

    async stopKernelsOf(by: ActorContext, notebookId: string): Promise<void> {
      for (const kernel of await kernels.list(by.organisationId, notebookId))
        await end(by, kernel).catch((error: unknown) => {
          // Somebody else has stopped it meanwhile.
          if (!isNotFound(error)) throw error;
        });
    },

    /** CONFLICT: it is dead. */
    async connect(
      organisationId: string,
      kernelId: string,
      sessionId: string,
      messages: AsyncIterable<KernelMessage>,
    ): Promise<AsyncIterable<KernelMessage>> {
      const kernel = await alive(organisationId, kernelId);
      return hostOf(kernel).connect(organisationId, kernelId, sessionId, messages);
    },
  };
}
