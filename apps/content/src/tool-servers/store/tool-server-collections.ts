import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields } from '../../access/store/access-collections.ts';

const toolServers = withEvents(
  new Schema({
    ...accessFields,
    _id: String,
    name: String,
    description: String,
    kind: String,
    url: String,
    headerNames: [String],
    sealedHeaders: String,
    // A schema of arguments has keys that nobody here knows, with dots and dollars: as JSON.
    tools: [
      {
        _id: false,
        name: String,
        approval: String,
        description: String,
        method: String,
        path: String,
        parameters: String,
      },
    ],
    timeoutSeconds: Number,
    maxResultBytes: Number,
    memberId: String,
    createdAt: Date,
    updatedAt: Date,
  }),
);
toolServers.index({ organisationId: 1, createdAt: 1, _id: 1 });
toolServers.index({ organisationId: 1, visibility: 1, createdAt: 1, _id: 1 });
toolServers.index({ organisationId: 1, name: 1 }, { unique: true });
toolServers.index({ organisationId: 1, name: 1, createdAt: 1, _id: 1 });

export const toolServerCollections = { toolServers };
