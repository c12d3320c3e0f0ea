import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields } from '../../access/store/access-collections.ts';

const failure = new Schema({ code: String, message: String }, { _id: false });
const progress = new Schema({ stage: String, percent: Number }, { _id: false });
const lease = new Schema({ holder: String, until: Date }, { _id: false });

const actor = new Schema({ type: { type: String }, id: String, name: String }, { _id: false, id: false });
const versionFields = {
  number: Number,
  createdAt: Date,
  actor,
  name: String,
  contentType: String,
  mediaType: String,
  sizeBytes: Number,
  checksum: String,
  objectKey: String,
  restoredFrom: Number,
};
const earlierVersion = new Schema(versionFields, { _id: false });
const incomingVersion = new Schema(
  { ...versionFields, status: String, uploadExpiresAt: Date, reservedBytes: Number, failure, progress },
  { _id: false },
);
const currentVersion = new Schema({ number: Number, createdAt: Date, actor, restoredFrom: Number }, { _id: false });

/** `_id` is organisation and document: the id alone is chosen by clients, and two organisations may choose the same. */
const documents = withEvents(
  new Schema({
    ...accessFields,
    _id: String,
    name: String,
    status: String,
    createdAt: Date,
    updatedAt: Date,
    /** `collection` means something else to mongoose. */
    collectionName: String,
    /** Of its metadata, `name=value` each. */
    labels: { type: [String], default: undefined },
    description: String,
    describedByHand: Boolean,
    detailedDescription: String,
    mediaType: String,
    sizeBytes: Number,
    checksum: String,
    language: String,
    pageCount: Number,
    numTokens: Number,
    contentIsCut: Boolean,
    pagesWithoutText: [Number],
    failure,
    progress,
    objectKey: String,
    contentType: String,
    uploadExpiresAt: Date,
    reservedBytes: Number,
    /** What it takes of the organisation's room; absent of those of before, which take `sizeBytes`. */
    heldBytes: Number,
    archivedFrom: String,
    /** Absent where nobody looks, so that the indexes hold no more than there is to do. */
    lookAt: Date,
    workAt: Date,
    /** The organisation, while there is a `workAt`. */
    workOf: String,
    /** The same, of one of the small documents. */
    smallWorkOf: String,
    lease,
    attempts: Number,
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
// What all of them take, by the index alone.
documents.index({ organisationId: 1, heldBytes: 1, sizeBytes: 1 });
documents.index({ lookAt: 1 }, { sparse: true });
documents.index({ workOf: 1, workAt: 1 }, { sparse: true });
documents.index({ smallWorkOf: 1, workAt: 1 }, { sparse: true });
// What has waited longest, for the metrics.
documents.index({ workAt: 1 }, { sparse: true });

/** `_id` is the key of the document's bytes. */
const documentTexts = new Schema({ _id: String, text: String });
documentTexts.index({ organisationId: 1 });

const documentFollowUps = new Schema({
  _id: String,
  documentId: String,
  objectKeys: [String],
  dueAt: Date,
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
