import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields } from '../../access/store/access-collections.ts';

const conventions = withEvents(
  new Schema({ ...accessFields, _id: String, title: String, content: String, createdAt: Date, updatedAt: Date }),
);
conventions.index({ organisationId: 1, createdAt: 1, _id: 1 });
conventions.index({ organisationId: 1, title: 1, createdAt: 1, _id: 1 });
conventions.index({ organisationId: 1, visibility: 1, createdAt: 1, _id: 1 });

const conventionVersions = new Schema({
  _id: String,
  conventionId: String,
  createdAt: Date,
  actor: { _id: false, type: { type: String }, id: String, name: String },
  changedFields: [String],
  title: String,
  content: String,
});
conventionVersions.index({ organisationId: 1, conventionId: 1, createdAt: 1, _id: 1 });

/** Conventions of whose latest change the search may know nothing. `_id` is the convention's. */
const conventionsToIndex = new Schema({ _id: String, change: String, dueAt: Date, takenUntil: Date });
conventionsToIndex.index({ dueAt: 1 });
conventionsToIndex.index({ organisationId: 1 });

export const conventionCollections = { conventions, conventionVersions, conventionsToIndex };
