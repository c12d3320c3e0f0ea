import type {
  ConnectionInput,
  ConnectionServiceHandlers,
  ConnectionSettingsInput,
  NewConnectionSettings,
} from '@platform-backend/contract-pipelines';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import type { ConnectionUseCases } from '../app/connections.ts';
import type { Connection, ConnectionSettings } from '../domain/connection.ts';

/** How what datasets are read from is reached. */
export const connectionHandlers = (app: ConnectionUseCases): ConnectionServiceHandlers<CallContext> => ({
  createConnection: async ({ settings, ...given }, context) =>
    connectionMessage(
      await app.createConnection(context.actorContext(), { ...given, settings: connectionSettings(settings) }),
    ),

  listConnections: async ({ kind: kinds, ...page }, context) =>
    listAnswer(
      'connections',
      await app.listConnections(context.organisationId(), { ...page, kinds }),
      connectionMessage,
    ),

  getConnection: async ({ connectionId }, context) =>
    connectionMessage(await app.getConnection(context.organisationId(), connectionId)),

  async updateConnection({ connectionId, updateMask, ...given }, context) {
    const { settings, ...wanted } = fieldsGiven(updateMask, given);
    const change = { ...wanted, ...(settings && { settings: connectionSettings(settings) }) };
    return connectionMessage(await app.updateConnection(context.actorContext(), connectionId, change));
  },

  async deleteConnection({ connectionId }, context) {
    const { id } = await app.deleteConnection(context.actorContext(), connectionId);
    return { id, deleted: true };
  },

  testConnection: async ({ connectionId }, context) => {
    const tested = await app.testConnection(context.organisationId(), connectionId, context.signal);
    return { ok: tested.failure === null, ...tested };
  },
});

const connectionMessage = ({ id, name, settings, sealedSecret, ...times }: Connection): ConnectionInput => ({
  ...{ id, name, ...times },
  settings: settingsMessage(settings),
  hasSecret: sealedSecret !== null,
});

function settingsMessage(settings: ConnectionSettings): ConnectionSettingsInput {
  switch (settings.kind) {
    case 'POSTGRESQL': {
      const { kind: _kind, ...postgresql } = settings;
      return { postgresql };
    }
    case 'S3': {
      const { kind: _kind, ...s3 } = settings;
      return { s3 };
    }
    case 'HTTP': {
      const { kind: _kind, ...http } = settings;
      return { http };
    }
  }
}

function connectionSettings({ postgresql, s3, http }: NewConnectionSettings): ConnectionSettings {
  if (postgresql) return { kind: 'POSTGRESQL', ...postgresql };
  if (s3) return { kind: 'S3', ...s3 };
  if (http) return { kind: 'HTTP', ...http };
  throw new Error('the contract lets no settings without a kind through');
}
