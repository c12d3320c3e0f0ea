import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields, actorSchema } from '../../access/store/access-collections.ts';

const STATUSES = ['PENDING_UPLOAD', 'UPLOADED', 'PROCESSING', 'READY', 'FAILED', 'EXPIRED', 'ARCHIVED'] as const;

const failure = new Schema(
  { code: { type: String, required: true }, message: { type: String, required: true } },
  { _id: false },
);
const progress = new Schema(
  {
    stage: { type: String, enum: ['FETCHING', 'READING', 'EXTRACTING', 'INDEXING'] as const, required: true },
    percent: { type: Number, required: true, min: 0, max: 100 },
  },
  { _id: false },
);
const lease = new Schema(
  { holder: { type: String, required: true }, until: { type: Date, required: true } },
  { _id: false },
);

const versionFields = {
  number: { type: Number, required: true, min: 1 },
  createdAt: { type: Date, required: true },
  actor: actorSchema,
  name: { type: String, required: true },
  contentType: { type: String, required: true },
  mediaType: { type: String, required: true },
  sizeBytes: { type: Number, required: true, min: 0 },
  checksum: { type: String, required: true },
  objectKey: { type: String, required: true },
  restoredFrom: Number,
};
const earlierVersion = new Schema(versionFields, { _id: false });
const incomingVersion = new Schema(
  {
    ...versionFields,
    status: {
      type: String,
      enum: ['PENDING_UPLOAD', 'UPLOADED', 'PROCESSING', 'FAILED'] as const,
      required: true,
    },
    uploadExpiresAt: Date,
    reservedBytes: { type: Number, min: 0 },
    failure,
    progress,
  },
  { _id: false },
);
const currentVersion = new Schema(
  {
    number: { type: Number, required: true, min: 1 },
    createdAt: { type: Date, required: true },
    actor: actorSchema,
    restoredFrom: Number,
  },
  { _id: false },
);

/** `_id` is organisation and document: the id alone is chosen by clients, and two organisations may choose the same. */
const documents = withEvents(
  new Schema({
    ...accessFields,
    _id: { type: String, required: true },
    name: { type: String, required: true, maxlength: 2000 },
    status: { type: String, enum: STATUSES, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    /** `collection` means something else to mongoose. */
    collectionName: { type: String, required: true, maxlength: 200 },
    /** Of its metadata, `name=value` each. */
    labels: { type: [String], default: undefined },
    description: { type: String, required: true, maxlength: 10_000 },
    describedByHand: { type: Boolean, required: true },
    detailedDescription: { type: String, required: true },
    mediaType: { type: String, required: true },
    sizeBytes: { type: Number, required: true, min: 0 },
    checksum: { type: String, required: true },
    language: { type: String, required: true },
    pageCount: { type: Number, min: 0 },
    numTokens: { type: Number, required: true, min: 0 },
    contentIsCut: { type: Boolean, required: true },
    pagesWithoutText: { type: [Number], default: undefined },
    failure,
    progress,
    objectKey: { type: String, required: true },
    contentType: { type: String, required: true },
    uploadExpiresAt: { type: Date, required: true },
    reservedBytes: { type: Number, min: 0 },
    /** What it takes of the organisation's room; absent of those of before, which take `sizeBytes`. */
    heldBytes: { type: Number, min: 0 },
    importItemId: String,
    importId: String,
    archivedFrom: { type: String, enum: [...STATUSES, null] },
    /** Absent where nobody looks, so that the indexes hold no more than there is to do. */
    lookAt: Date,
    workAt: Date,
    /** The organisation, while there is a `workAt`. */
    workOf: String,
    /** The same, of one of the small documents. */
    smallWorkOf: String,
    lease,
    attempts: { type: Number, required: true, min: 0 },
    /** Absent unless it is. */
    retentionExempt: Boolean,
    current: currentVersion,
    earlier: { type: [earlierVersion], default: undefined },
    incoming: incomingVersion,
    lastVersion: Number,
  }),
);
documents.index({ organisationId: 1, createdAt: 1, _id: 1 });
documents.index({ organisationId: 1, status: 1, createdAt: 1, _id: 1 });
documents.index({ organisationId: 1, collectionName: 1, createdAt: 1, _id: 1 });
documents.index({ organisationId: 1, mediaType: 1, createdAt: 1, _id: 1 });
documents.index({ organisationId: 1, visibility: 1, createdAt: 1, _id: 1 });
documents.index({ organisationId: 1, labels: 1, createdAt: 1, _id: 1 });
documents.index({ organisationId: 1, 'access.groups': 1, createdAt: 1, _id: 1 });
// What has not been changed for long.
documents.index({ organisationId: 1, updatedAt: 1, _id: 1 });
documents.index({ organisationId: 1, collectionName: 1, updatedAt: 1, _id: 1 });
// What all of them take, by the index alone.
documents.index({ organisationId: 1, heldBytes: 1, sizeBytes: 1 });
documents.index({ lookAt: 1 }, { sparse: true });
documents.index({ workOf: 1, workAt: 1 }, { sparse: true });
documents.index({ smallWorkOf: 1, workAt: 1 }, { sparse: true });
// What has waited longest, for the metrics.
documents.index({ workAt: 1 }, { sparse: true });

/** `_id` is the key of the document's bytes. */
const documentTexts = new Schema({
  _id: { type: String, required: true },
  text: { type: String, required: true },
});
documentTexts.index({ organisationId: 1 });

const documentFollowUps = new Schema({
  _id: { type: String, required: true },
  documentId: { type: String, required: true },
  objectKeys: [String],
  dueAt: { type: Date, required: true },
  /** Absent: not again. */
  againAt: Date,
  /** Of a copy that was going to be made. The version before, which would remove all `objectKeys`, does not know it. */
  copyKey: String,
});
// What has waited longest, for the metrics.
documentFollowUps.index({ dueAt: 1 });
documentFollowUps.index({ organisationId: 1, dueAt: 1 });
documentFollowUps.index({ organisationId: 1 });

export const documentCollections = { documents, documentTexts, documentFollowUps };
