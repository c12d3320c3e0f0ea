import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields } from '../../access/store/access-collections.ts';

const toolServers = withEvents(
  new Schema({
    ...accessFields,
    _id: { type: String, required: true },
    name: { type: String, required: true, maxlength: 30 },
    description: { type: String, required: true, maxlength: 1000 },
    kind: { type: String, enum: ['mcp', 'http'] as const, required: true },
    url: { type: String, required: true, maxlength: 2000 },
    headerNames: [String],
    sealedHeaders: { type: String, required: true },
    // A schema of arguments has keys that nobody here knows, with dots and dollars: as JSON.
    tools: [
      {
        _id: false,
        name: { type: String, required: true, maxlength: 128 },
        approval: { type: String, enum: ['required', 'none'] as const, required: true },
        description: { type: String, required: true, maxlength: 1000 },
        method: { type: String, enum: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const, required: true },
        path: { type: String, required: true, maxlength: 500 },
        parameters: String,
      },
    ],
    timeoutSeconds: { type: Number, required: true, min: 0 },
    maxResultBytes: { type: Number, required: true, min: 0 },
    memberId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  }),
);
toolServers.index({ organisationId: 1, createdAt: 1, _id: 1 });
toolServers.index({ organisationId: 1, visibility: 1, createdAt: 1, _id: 1 });
toolServers.index({ organisationId: 1, name: 1 }, { unique: true });
toolServers.index({ organisationId: 1, name: 1, createdAt: 1, _id: 1 });

export const toolServerCollections = { toolServers };
