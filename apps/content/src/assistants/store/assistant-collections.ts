import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields } from '../../access/store/access-collections.ts';

const settings = {
  name: String,
  description: String,
  instructions: String,
  model: String,
  tools: [String],
  documentIds: [String],
  collections: [String],
  temperature: Number,
  toolEffects: String,
  toolServerIds: [String],
  revision: Number,
};

const assistants = withEvents(
  new Schema({
    ...settings,
    ...accessFields,
    _id: String,
    nameKey: String,
    memberId: String,
    createdAt: Date,
    updatedAt: Date,
  }),
);
assistants.index({ organisationId: 1, createdAt: 1, _id: 1 });
assistants.index({ organisationId: 1, visibility: 1, createdAt: 1, _id: 1 });
assistants.index({ organisationId: 1, nameKey: 1 }, { unique: true });

const assistantVersions = new Schema({
  ...settings,
  _id: String,
  assistantId: String,
  actor: { _id: false, type: { type: String }, id: String, name: String },
  createdAt: Date,
});
assistantVersions.index({ organisationId: 1, assistantId: 1, createdAt: 1, _id: 1 });
assistantVersions.index({ organisationId: 1, assistantId: 1, revision: 1 });

export const assistantCollections = { assistants, assistantVersions };
