import { Schema } from '@platform-backend/mongo';

/** What can be found, and by which set of passages. `_id` is organisation, kind and id, as clients choose ids of documents. */
const searchSources = new Schema({
  _id: String,
  kind: String,
  sourceId: String,
  title: String,
  createdAt: Date,
  collectionName: String,
  mediaType: String,
  /** Absent: none. */
  labels: { type: [String], default: undefined },
  memberIds: { type: [String], default: undefined },
  readers: { type: [String], default: undefined },
  /** False before its first set is complete, and after it was removed. */
  isPresent: Boolean,
  generation: String,
  model: String,
  /** Of which model the set has vectors as well, and which set that was. */
  nextModel: String,
  nextGeneration: String,
  passages: Number,
  changedAt: Date,
  removedAt: Date,
  /** The set that was begun last, and all that are being made. */
  latest: String,
  pending: { type: [{ _id: false, generation: String, since: Date }], default: undefined },
  /** Until then a replica is making its vectors anew, or nobody tries. */
  takenUntil: Date,
  /** Names the taking; two replicas never have the same. */
  takenBy: String,
  /** How often the encoder has refused it. */
  refusals: Number,
});
// The first and the third are what the version before looks for.
searchSources.index({ organisationId: 1, isPresent: 1, createdAt: -1, _id: -1 });
searchSources.index({ organisationId: 1, kind: 1, isPresent: 1, createdAt: -1, _id: -1 });
searchSources.index({ organisationId: 1, changedAt: 1, _id: 1 });
searchSources.index({ organisationId: 1, kind: 1, changedAt: 1, _id: 1 });
// The version before looks for the first of them.
searchSources.index({ isPresent: 1, model: 1, takenUntil: 1 });
searchSources.index({ isPresent: 1, organisationId: 1, model: 1, nextModel: 1, takenUntil: 1 });
searchSources.index({ organisationId: 1, nextModel: 1 });
searchSources.index({ 'pending.since': 1 }, { sparse: true });
searchSources.index({ removedAt: 1 }, { sparse: true });

/**
 * `_id` is the set and the ordinal. What is known of the source is repeated here for MongoDB's own search, whose filters see nothing
 * else; nobody is shown it.
 */
const passages = new Schema({
  _id: String,
  source: String,
  kind: String,
  sourceId: String,
  title: String,
  createdAt: Date,
  collectionName: String,
  mediaType: String,
  labels: { type: [String], default: undefined },
  readers: { type: [String], default: undefined },
  generation: String,
  ordinal: Number,
  text: String,
  page: Number,
  /** That it stands under, where it does not begin with one. */
  heading: String,
  start: Number,
  end: Number,
  /** Binary of the kind of vectors. */
  vector: Schema.Types.Mixed,
  /** Of the vector. */
  model: String,
  /** Those of the model that will answer later. */
  nextVector: Schema.Types.Mixed,
  nextModel: String,
});
passages.index({ organisationId: 1, generation: 1, ordinal: 1 });
passages.index({ organisationId: 1, source: 1 });

/** By which model questions are answered, for each organisation that has vectors. */
const searchModels = new Schema({
  _id: String,
  model: String,
  /** Vectors of the one before are still there, or those of this one stand beside them. */
  hasOthers: Boolean,
});
searchModels.index({ organisationId: 1 });
searchModels.index({ model: 1 });
searchModels.index({ hasOthers: 1, model: 1 }, { sparse: true });

export const passageCollections = { searchSources, passages, searchModels };
