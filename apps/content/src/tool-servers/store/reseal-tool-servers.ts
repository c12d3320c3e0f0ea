import type { Reseal } from '@platform-backend/core/secret-box';
import type { OpenedMongo } from '@platform-backend/mongo/storage';
import { headersContext } from '../domain/tool-server.ts';

interface SealedServer {
  readonly _id: string;
  readonly organisationId: string;
  readonly sealedHeaders: string;
}

/** So many are read, and those among them that change are written, at a time. */
const SERVERS_AT_ONCE = 100;

/** Has the headers of all tool servers sealed anew. Each counts by itself, and one that somebody changes meanwhile stays as they leave it. */
export async function resealToolServers({ database }: Pick<OpenedMongo, 'database'>, reseal: Reseal): Promise<void> {
  const servers = database.model<SealedServer>('toolServers');
  let last: string | undefined = '';
  while (last !== undefined) {
    const after: string = last;
    last = await database.acrossOrganisations(async () => {
      const found = await servers
        .find({ _id: { $gt: after } }, { organisationId: 1, sealedHeaders: 1 })
        .sort({ _id: 1 })
        .limit(SERVERS_AT_ONCE)
        .lean<SealedServer[]>()
        .exec();
      const writes = found.flatMap(({ _id, organisationId, sealedHeaders }) => {
        const resealed = sealedHeaders && reseal(sealedHeaders, headersContext(organisationId, _id));
        if (resealed === sealedHeaders) return [];
        const change = { $set: { sealedHeaders: resealed }, $inc: { version: 1 } };
        return [{ updateOne: { filter: { _id, sealedHeaders }, update: change } }];
      });
      if (writes.length > 0) await servers.bulkWrite(writes);
      return found.length === SERVERS_AT_ONCE ? found.at(-1)?._id : undefined;
    });
  }
}
