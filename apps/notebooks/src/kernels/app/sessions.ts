import { isNotFound, isUuid, newId, type Clock } from '@platform-backend/core';
import type { Payer } from '../domain/credits.ts';
import { kernelNotFound } from '../domain/errors.ts';
import { isAlive } from '../domain/kernel.ts';
import type { Session, Sessions } from '../domain/session.ts';
import type { ObservedKernel, KernelUseCases } from './kernels.ts';

export interface SessionPorts {
  readonly sessions: Sessions;
  readonly kernels: Pick<KernelUseCases, 'startKernel' | 'getKernel' | 'listKernels' | 'replaceKernel' | 'stopKernel'>;
  readonly clock: Clock;
}

/** A kernel that runs, by its id, or a new one of a kind. */
export interface SessionKernelInput {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

export type SessionInput = Pick<Session, 'path' | 'name' | 'type'> & { readonly kernel: SessionKernelInput };

export interface SessionWithKernel {
  readonly session: Session;
  readonly kernel: ObservedKernel;
}

export type SessionUseCases = ReturnType<typeof sessionUseCases>;

export function sessionUseCases({ sessions, kernels, clock }: SessionPorts) {
  /** Gives a session its kernel; one that was started for it ends with an error, for nobody would know of it. */
  const withKernelFor = async <T>(
    by: Payer,
    { id, name }: SessionKernelInput,
    path: string,
    give: (kernel: ObservedKernel) => Promise<T>,
  ): Promise<T> => {
    if (id !== undefined && id !== '') {
      if (!isUuid(id)) throw kernelNotFound();
      return give(await kernels.getKernel(by.organisationId, id));
    }
    const started = await kernels.startKernel(by, { spec: name, path });
    try {
      return await give(started);
    } catch (error) {
      await kernels.stopKernel(by, started.id).catch(() => undefined);
      throw error;
    }
  };

  const withKernel = async (organisationId: string, session: Session): Promise<SessionWithKernel> => ({
    session,
    kernel: await kernels.getKernel(organisationId, session.kernelId),
  });

  return {
    async createSession(by: Payer, { path, name, type, kernel: wanted }: SessionInput): Promise<SessionWithKernel> {
      const { organisationId } = by;
      const known = await sessions.atPath(organisationId, path);
      if (known) {
        const found = await withKernel(organisationId, known);
        if (isAlive(found.kernel)) return found;
      }
      return withKernelFor(by, wanted, path, async (kernel) => {
        const session = { id: newId(), path, name, type, kernelId: kernel.id, createdAt: clock.now() };
        const there = known
          ? await sessions.changeKernel(organisationId, known.id, known.kernelId, kernel.id)
          : await sessions.add(organisationId, session);
        if (there.kernelId === kernel.id) return { session: there, kernel };
        // Somebody was faster.
        if (wanted.id === undefined || wanted.id === '') await kernels.stopKernel(by, kernel.id);
        return withKernel(organisationId, there);
      });
    },

    getSession: async (organisationId: string, sessionId: string) =>
      withKernel(organisationId, await sessions.get(organisationId, sessionId)),

    /** With kernels that nobody has stopped. */
    async listSessions(organisationId: string): Promise<SessionWithKernel[]> {
      const known = new Map((await kernels.listKernels(organisationId)).map((kernel) => [kernel.id, kernel]));
      return (await sessions.list(organisationId)).flatMap((session) => {
        const kernel = known.get(session.kernelId);
        return kernel ? [{ session, kernel }] : [];
      });
    },

    async updateSession(
      by: Payer,
      sessionId: string,
      { kernel: wanted, ...changed }: Partial<SessionInput>,
    ): Promise<SessionWithKernel> {
      const before = await sessions.get(by.organisationId, sessionId);
      const session = { ...before, ...changed };
      if (!wanted) {
        await sessions.change(by, session);
        return withKernel(by.organisationId, session);
      }
      return withKernelFor(by, wanted, session.path, async (kernel) => {
        const after = { ...session, kernelId: kernel.id };
        if (kernel.id === before.kernelId) await sessions.change(by, after);
        else await kernels.replaceKernel(by, before.kernelId, after);
        return withKernel(by.organisationId, after);
      });
    },

    async deleteSession(by: Payer, sessionId: string): Promise<void> {
      const { kernelId } = await sessions.get(by.organisationId, sessionId);
      // Before the session goes, or a kernel would be left that nobody looks for. The session goes with the last of it.
      await kernels.stopKernel(by, kernelId).catch(unlessGone);
      await sessions.remove(by.organisationId, sessionId).catch(unlessGone);
    },
  };
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
