import { Schema } from '@platform-backend/mongo';

const KINDS = ['DOCUMENT', 'CONVENTION', 'MESSAGE'] as const;

const pending = { generation: { type: String, required: true }, since: { type: Date, required: true } };

/** What can be found, and by which set of passages. `_id` is organisation, kind and id, as clients choose ids of documents. */
const searchSources = new Schema({
  _id: { type: String, required: true },
  kind: { type: String, enum: KINDS, required: true },
  sourceId: { type: String, required: true },
  title: { type: String, required: true },
  createdAt: { type: Date, required: true },
  collectionName: String,
  mediaType: String,
  /** Absent: none. */
  labels: { type: [String], default: undefined },
  memberIds: { type: [String], default: undefined },
  readers: { type: [String], default: undefined },
  /** False before its first set is complete, and after it was removed. */
  isPresent: { type: Boolean, required: true },
  generation: String,
  model: String,
  /** Of which model the set has vectors as well, and which set that was. */
  nextModel: String,
  nextGeneration: String,
  /** Of which model all vectors are that were made while it was called otherwise; they answer until others are there. */
  formerNameModel: String,
  passages: { type: Number, min: 0 },
  changedAt: { type: Date, required: true },
  removedAt: Date,
  /** The set that was begun last, and all that are being made. */
  latest: { type: String, required: true },
  pending: { type: [{ _id: false, ...pending }], default: undefined },
  /** Until then a replica is making its vectors anew, or nobody tries. */
  takenUntil: { type: Date, required: true },
  /** Names the taking; two replicas never have the same. */
  takenBy: String,
  /** How often the encoder has refused it. */
  refusals: { type: Number, min: 0 },
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
  _id: { type: String, required: true },
  source: { type: String, required: true },
  kind: { type: String, enum: KINDS, required: true },
  sourceId: { type: String, required: true },
  title: { type: String, required: true },
  createdAt: { type: Date, required: true },
  collectionName: String,
  mediaType: String,
  labels: { type: [String], default: undefined },
  readers: { type: [String], default: undefined },
  generation: { type: String, required: true },
  ordinal: { type: Number, required: true, min: 0 },
  text: { type: String, required: true },
  page: Number,
  /** That it stands under, where it does not begin with one. */
  heading: String,
  start: { type: Number, required: true, min: 0 },
  end: { type: Number, required: true, min: 0 },
  /** Binary of the kind of vectors. */
  vector: Schema.Types.Mixed,
  /** Of the vector. */
  model: String,
  /** What the source was called when that was made, of one that had got another name: whoever goes on begins where another one has stopped. */
  embeddedName: String,
  /** Those of the model that will answer later. */
  nextVector: Schema.Types.Mixed,
  nextModel: String,
  nextEmbeddedName: String,
});
passages.index({ organisationId: 1, generation: 1, ordinal: 1 });
passages.index({ organisationId: 1, source: 1 });

/** By which model questions are answered, for each organisation that has vectors. */
const searchModels = new Schema({
  _id: { type: String, required: true },
  model: { type: String, required: true },
  /** Vectors of the one before are still there, or those of this one stand beside them. */
  hasOthers: Boolean,
});
searchModels.index({ organisationId: 1 });
searchModels.index({ model: 1 });
searchModels.index({ hasOthers: 1, model: 1 }, { sparse: true });

/** Encoders that have made vectors, by the name that these are stored under. They are nobody's: `organisationId` is empty. */
const searchEncoders = new Schema({
  _id: { type: String, required: true },
  /** In which order they came. */
  number: { type: Number, required: true, min: 1 },
  name: { type: String, required: true },
  /** `local`, or the host of an API; absent: it has made vectors before that was noted. */
  endpoint: String,
  /** Absent: it has not answered yet. */
  dimensions: { type: Number, min: 1 },
  questionPrefix: { type: String, required: true },
  passagePrefix: { type: String, required: true },
});
searchEncoders.index({ organisationId: 1, number: 1 });

export const passageCollections = { searchSources, passages, searchModels, searchEncoders };
