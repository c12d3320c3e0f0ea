import type { Reseal } from '@platform-backend/core/secret-box';
import { resealField } from '@platform-backend/mongo';
import type { OpenedMongo } from '@platform-backend/mongo/storage';
import { headersContext } from '../domain/tool-server.ts';

/** Has the headers of all tool servers sealed anew. */
export const resealToolServers = ({ database }: Pick<OpenedMongo, 'database'>, reseal: Reseal): Promise<void> =>
  resealField(
    database,
    {
      ...{ collection: 'toolServers', field: 'sealedHeaders', contextOf: headersContext },
      also: { $inc: { version: 1 } },
    },
    reseal,
  );
