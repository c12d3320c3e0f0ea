import type { Fields } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import { withoutLimits, type Database } from '@platform-backend/mongo';
import { restrictableStore, visibilityFilter } from '../../access/store/restrictable-store.ts';
import type { AllowedTool, ToolServer } from '../domain/tool-server.ts';
import type { ToolServers } from '../domain/tool-servers.ts';

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
  const stored = restrictableStore<Stored>({ database, name, outgoing: outgoingEvents('content') });
  const model = database.model<{ _id: string }>(name);
  return {
    async find(organisationId, id) {
      const found = await stored.find(organisationId, id);
      return found && serverOf(found);
    },
    count: (organisationId) =>
      withoutLimits(() => database.tenant(organisationId, () => model.countDocuments({}).exec())),
    async list(organisationId, { order, visibility, name: wanted, ...page }) {
      const filter = { ...visibilityFilter(visibility), ...(wanted !== null && { name: wanted }) };
      const { items, ...listed } = await stored.page(organisationId, page, { filter, order });
      return { ...listed, items: items.map(serverOf) };
    },
    update: (by, id, decide) =>
      stored.update(by, id, (found) => {
        const before = found && serverOf(found);
        const { state, events, result } = decide(before);
        return { state: state === before ? found : state && storedOf(state), events, result };
      }),
    removeAll: (organisationId) => stored.removeAll(organisationId, {}),
  };
}
