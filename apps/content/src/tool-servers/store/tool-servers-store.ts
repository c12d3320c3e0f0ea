import type { Fields } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import type { Database, RecordOf } from '@platform-backend/mongo';
import { limitedCreation } from '../../access/store/limited-creation.ts';
import { restrictableStore, visibilityFilter } from '../../access/store/restrictable-store.ts';
import type { AllowedTool, ToolServer } from '../domain/tool-server.ts';
import type { ToolServers } from '../domain/tool-servers.ts';
import type { toolServerCollections } from './tool-server-collections.ts';

interface StoredTool extends Omit<AllowedTool, 'parameters'> {
  readonly parameters: string | null;
}

interface Stored extends Omit<ToolServer, 'tools'> {
  readonly tools: readonly StoredTool[];
}

const serverOf = ({ tools, ...stored }: Stored): ToolServer => ({
  ...stored,
  tools: tools.map(({ parameters, ...tool }) => ({
    ...tool,
    parameters: parameters === null ? null : (JSON.parse(parameters) as Fields),
  })),
});

const storedOf = ({ tools, ...server }: ToolServer): Stored => ({
  ...server,
  tools: tools.map(({ parameters, ...tool }) => ({ ...tool, parameters: parameters && JSON.stringify(parameters) })),
});

export function toolServersStore(database: Database): ToolServers {
  const name = 'toolServers';
  const stored = restrictableStore<Stored, (typeof toolServerCollections)['toolServers']>({
    database,
    name,
    outgoing: outgoingEvents('content'),
  });
  const model = database.model<RecordOf<(typeof toolServerCollections)['toolServers']>>(name);
  const withinLimit = limitedCreation(database, name);
  const update: ToolServers['update'] = (by, id, decide) =>
    stored.update(by, id, (found) => {
      const before = found && serverOf(found);
      const { state, events, result } = decide(before);
      return { state: state === before ? found : state && storedOf(state), events, result };
    });
  return {
    async find(organisationId, id) {
      const found = await stored.find(organisationId, id);
      return found && serverOf(found);
    },
    async list(organisationId, { order, visibility, name: wanted, ...page }) {
      const filter = { ...visibilityFilter(visibility), ...(wanted !== null && { name: wanted }) };
      const { items, ...listed } = await stored.page(organisationId, page, { filter, order });
      return { ...listed, items: items.map(serverOf) };
    },
    idsAmong: (organisationId, ids) =>
      database.tenant(organisationId, async () => {
        const found = await model
          .find({ _id: { $in: [...ids] } }, { _id: 1 })
          .lean()
          .exec();
        return new Set(found.map(({ _id }) => _id));
      }),
    create: (by, id, limit, decide) => withinLimit(by.organisationId, limit, () => update(by, id, decide)),
    update,
    removeAll: (organisationId) => stored.removeAll(organisationId, {}),
  };
}
