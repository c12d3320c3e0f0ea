import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields, actorSchema } from '../../access/store/access-collections.ts';

const text = {
  title: { type: String, required: true, maxlength: 2000 },
  content: { type: String, required: true, maxlength: 50_000 },
};

const conventions = withEvents(
  new Schema({
    ...accessFields,
    ...text,
    _id: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  }),
);
conventions.index({ organisationId: 1, createdAt: 1, _id: 1 });
conventions.index({ organisationId: 1, title: 1, createdAt: 1, _id: 1 });
conventions.index({ organisationId: 1, visibility: 1, createdAt: 1, _id: 1 });

const conventionVersions = new Schema({
  ...text,
  _id: { type: String, required: true },
  conventionId: { type: String, required: true },
  createdAt: { type: Date, required: true },
  actor: { type: actorSchema, required: true },
  changedFields: [String],
});
conventionVersions.index({ organisationId: 1, conventionId: 1, createdAt: 1, _id: 1 });

/** Conventions of whose latest change the search may know nothing. `_id` is the convention's. */
const conventionsToIndex = new Schema({
  _id: { type: String, required: true },
  change: { type: String, required: true },
  dueAt: { type: Date, required: true },
  takenUntil: { type: Date, required: true },
});
conventionsToIndex.index({ dueAt: 1 });
conventionsToIndex.index({ organisationId: 1 });

export const conventionCollections = { conventions, conventionVersions, conventionsToIndex };
