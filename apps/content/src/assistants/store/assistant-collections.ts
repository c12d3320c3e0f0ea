import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields, actorSchema } from '../../access/store/access-collections.ts';

const TOOLS = ['search_documents', 'read_conventions', 'query_datasets', 'run_pipelines'] as const;

const settings = {
  name: { type: String, required: true, maxlength: 200 },
  description: { type: String, required: true, maxlength: 1000 },
  instructions: { type: String, required: true, maxlength: 10_000 },
  model: { type: String, required: true, maxlength: 200 },
  tools: [{ type: String, enum: TOOLS }],
  documentIds: [String],
  collections: [String],
  /** Absent of those from before there were any. */
  documentLabels: { type: [String], default: undefined },
  temperature: { type: Number, min: 0, max: 2 },
  /** Absent of those from before there was a choice. */
  toolEffects: { type: String, enum: ['ask', 'never', 'always'] as const },
  toolServerIds: [String],
  revision: { type: Number, required: true, min: 1 },
};

const assistants = withEvents(
  new Schema({
    ...settings,
    ...accessFields,
    _id: { type: String, required: true },
    nameKey: { type: String, required: true },
    memberId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  }),
);
assistants.index({ organisationId: 1, createdAt: 1, _id: 1 });
assistants.index({ organisationId: 1, visibility: 1, createdAt: 1, _id: 1 });
assistants.index({ organisationId: 1, nameKey: 1 }, { unique: true });

const assistantVersions = new Schema({
  ...settings,
  _id: { type: String, required: true },
  assistantId: { type: String, required: true },
  actor: { type: actorSchema, required: true },
  createdAt: { type: Date, required: true },
});
assistantVersions.index({ organisationId: 1, assistantId: 1, createdAt: 1, _id: 1 });
assistantVersions.index({ organisationId: 1, assistantId: 1, revision: 1 });

export const assistantCollections = { assistants, assistantVersions };
