import type {
  JupyterKernelInput,
  JupyterKernelSpecInput,
  JupyterServiceHandlers,
  JupyterSessionInput,
  OpenChannelsRequest,
} from '@platform-backend/contract-notebooks';
import type { Clock } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import type { ObservedKernel, KernelUseCases } from '../app/kernels.ts';
import type { SessionUseCases, SessionWithKernel } from '../app/sessions.ts';
import { noKernel } from '../domain/errors.ts';
import type { KernelMessage, KernelSpec } from '../domain/kernel-provider.ts';
import { framingFor, type Framing } from './channel-frames.ts';
import { logoOf, logoPath } from './kernel-logo.ts';
import { payerOf } from './payer.ts';

/** Of Jupyter Server, whose interface this is. */
const VERSION = '2.17.0';

/** What a Jupyter Server shows of kernels and sessions. */
export function jupyterHandlers(
  app: KernelUseCases,
  sessions: SessionUseCases,
  clock: Clock,
): JupyterServiceHandlers<CallContext> {
  const started = clock.now();
  return {
    getJupyterVersion: () => Promise.resolve({ version: VERSION }),

    async getJupyterStatus(_request, context) {
      const kernels = await app.listKernels(context.organisationId());
      const activities = kernels.map(({ lastActivity }) => lastActivity.getTime());
      return {
        connections: kernels.reduce((sum, { connections }) => sum + connections, 0),
        kernels: kernels.length,
        lastActivity: activities.length === 0 ? null : new Date(Math.max(...activities)),
        started,
      };
    },

    getJupyterIdentity(_request, context) {
      const { actor } = context.actorContext();
      const initials = actor.name.split(/\s+/).map((word) => word.charAt(0).toUpperCase());
      return Promise.resolve({
        identity: {
          username: actor.userId ?? actor.id,
          name: actor.name,
          displayName: actor.name,
          initials: initials.join('').slice(0, 2),
          avatarUrl: null,
          color: null,
        },
        permissions: {},
      });
    },

    async listKernelSpecs() {
      const specs = await app.kernelSpecs();
      return {
        default: specs[0]?.name ?? '',
        kernelspecs: Object.fromEntries(specs.map((spec) => [spec.name, specMessage(spec)])),
      };
    },

    getKernelSpec: async ({ name }) => specMessage(await app.kernelSpec(name)),

    getKernelLogo: async ({ name }) => ({ picture: Buffer.from(logoOf(await app.kernelSpec(name))) }),

    async listKernels(_request, context) {
      return { kernels: (await app.listKernels(context.organisationId())).map(kernelMessage) };
    },

    async startKernel({ name, path }, context) {
      const wanted = { spec: name ?? undefined, path: path ?? undefined };
      return kernelMessage(await app.startKernel(payerOf(context), wanted));
    },

    getKernel: async ({ kernelId }, context) => kernelMessage(await app.getKernel(context.organisationId(), kernelId)),

    restartKernel: async ({ kernelId }, context) => kernelMessage(await app.restartKernel(payerOf(context), kernelId)),

    async stopKernel({ kernelId }, context) {
      await app.stopKernel(context.actorContext(), kernelId);
      return {};
    },

    async *openChannels(requests, context) {
      const reading = requests[Symbol.asyncIterator]();
      const first = await reading.next();
      if (first.done) throw noKernel();
      const { kernelId, sessionId, protocol } = first.value;
      const framing = framingFor(protocol);
      const messages = messagesIn(framing, reading);
      const heard = await app.connect(context.organisationId(), kernelId, sessionId, messages);
      yield { protocol: framing.protocol };
      for await (const message of heard) yield { frame: framing.encode(message) };
    },

    async listSessions(_request, context) {
      return { sessions: (await sessions.listSessions(context.organisationId())).map(sessionMessage) };
    },

    async createSession({ path, name, type, kernel }, context) {
      const wanted = { path, name, type, kernel: given(kernel) };
      return sessionMessage(await sessions.createSession(payerOf(context), wanted));
    },

    getSession: async ({ sessionId }, context) =>
      sessionMessage(await sessions.getSession(context.organisationId(), sessionId)),

    async updateSession({ sessionId, path, name, type, kernel }, context) {
      const wanted = {
        ...(path !== null && { path }),
        ...(name !== null && { name }),
        ...(type !== null && { type }),
        ...(kernel && { kernel: given(kernel) }),
      };
      return sessionMessage(await sessions.updateSession(payerOf(context), sessionId, wanted));
    },

    async deleteSession({ sessionId }, context) {
      await sessions.deleteSession(payerOf(context), sessionId);
      return {};
    },
  };
}

const given = (kernel: { readonly id: string | null; readonly name: string | null } | null) => ({
  id: kernel?.id ?? undefined,
  name: kernel?.name ?? undefined,
});

const specMessage = (spec: KernelSpec): JupyterKernelSpecInput => {
  const { name, displayName, language, interruptMode } = spec;
  return {
    name,
    spec: { argv: [], displayName, language, interruptMode, env: {}, metadata: {} },
    resources: { 'logo-svg': logoPath(spec) },
  };
};

const kernelMessage = ({ id, spec, lastActivity, state, connections }: ObservedKernel): JupyterKernelInput => ({
  id,
  name: spec,
  lastActivity,
  executionState: state,
  connections,
});

const sessionMessage = ({ session, kernel }: SessionWithKernel): JupyterSessionInput => {
  const { id, path, name, type } = session;
  return { id, path, name, type, kernel: kernelMessage(kernel), notebook: { path, name } };
};

async function* messagesIn(
  framing: Framing,
  requests: AsyncIterator<OpenChannelsRequest>,
): AsyncGenerator<KernelMessage> {
  for (let next = await requests.next(); !next.done; next = await requests.next()) {
    const { frame } = next.value;
    if (frame) yield framing.decode(frame as Parameters<Framing['decode']>[0]);
  }
}
