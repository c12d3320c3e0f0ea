import { newId } from '@platform-backend/core';
import { outgoingEvents } from '@platform-backend/events';
import { pageOf, type Database, type RecordOf } from '@platform-backend/mongo';
import { limitedCreation } from '../../access/store/limited-creation.ts';
import { restrictableStore, visibilityFilter } from '../../access/store/restrictable-store.ts';
import { MAX_VERSIONS, versionOf, type Assistant, type AssistantSettings } from '../domain/assistant.ts';
import type { Assistants } from '../domain/assistants.ts';
import type { assistantCollections } from './assistant-collections.ts';

type Schemas = typeof assistantCollections;
/** What the first ones do not have. */
type LaterSettings = Pick<AssistantSettings, 'toolEffects' | 'toolServerIds' | 'documentLabels'>;

/** Of before there was a choice, when calls were carried out at once: nobody has chosen that. And of before there were tool servers, and labels of documents. */
function whole<Kept extends Partial<LaterSettings>>(kept: Kept): Kept & LaterSettings {
  const { toolEffects = 'ask', toolServerIds = [], documentLabels = [] } = kept;
  return { ...kept, toolEffects, toolServerIds, documentLabels };
}

export function assistantsStore(database: Database): Assistants {
  const name = 'assistants';
  const assistants = restrictableStore<Assistant, Schemas['assistants']>({
    database,
    name,
    outgoing: outgoingEvents('content'),
  });
  const model = database.model<RecordOf<Schemas['assistants']>>(name);
  const versions = database.model<RecordOf<Schemas['assistantVersions']>>('assistantVersions');

  /** Of before it was noted who had made what may be restricted. */
  const owned = (kept: Assistant): Assistant =>
    kept.createdBy === undefined ? { ...whole(kept), createdBy: kept.memberId } : whole(kept);

  const find = async (organisationId: string, id: string): Promise<Assistant | undefined> => {
    const found = await assistants.find(organisationId, id);
    return found && owned(found);
  };

  const withinLimit = limitedCreation(database, name);
  const update: Assistants['update'] = (by, id, decide) =>
    database.transaction(by.organisationId, async () => {
      const changed: { before?: Assistant | undefined; after?: Assistant | undefined } = {};
      const result = await assistants.update(by, id, (kept) => {
        const before = kept && owned(kept);
        const decision = decide(before);
        Object.assign(changed, { before, after: decision.state });
        return decision;
      });
      const { before, after } = changed;
      if (before === after) return result;
      if (before && after?.revision === before.revision) return result;
      if (after) {
        const { id: _id, ...fields } = versionOf(by, newId(), after);
        await versions.insertMany([{ ...fields, _id }]);
        const oldest = after.revision - MAX_VERSIONS;
        if (oldest > 0) await versions.deleteMany({ assistantId: id, revision: { $lte: oldest } }).exec();
      } else await versions.deleteMany({ assistantId: id }).exec();
      return result;
    });

  return {
    find,
    findByName: (organisationId, nameKey) =>
      database.tenant(organisationId, async () => {
        const found = await model.findOne({ nameKey }, { _id: 1 }).lean().exec();
        return found ? find(organisationId, found._id) : undefined;
      }),
    list: async (organisationId, { order, visibility, ...page }) => {
      const filter = visibilityFilter(visibility);
      const { items, ...listed } = await assistants.page(organisationId, page, { filter, order });
      return { ...listed, items: items.map(owned) };
    },
    versions: (organisationId, assistantId, { order, ...page }) =>
      database.tenant(organisationId, () =>
        pageOf(versions, page, {
          filter: { assistantId },
          order,
          read: (found) =>
            found.map(({ _id, temperature = null, ...fields }) => whole({ ...fields, temperature, id: _id })),
        }),
      ),

    create: (by, id, limit, decide) => withinLimit(by.organisationId, limit, () => update(by, id, decide)),
    update,

    removeAll: async (organisationId) => {
      await assistants.removeAll(organisationId, {});
      await database.tenant(organisationId, () => versions.deleteMany({}).exec());
    },
  };
}
