import { Schema, withEvents } from '@platform-backend/mongo';
import { accessFields, actorSchema } from '../../access/store/access-collections.ts';

const text = { type: String, required: true } as const;
const count = { type: Number, required: true, min: 0 } as const;

const { access, createdBy, createdByKey } = accessFields;
const made = new Schema({ access, createdBy, createdByKey }, { _id: false });
const failure = new Schema({ code: text, message: text }, { _id: false });

const documentImports = withEvents(
  new Schema({
    _id: text,
    userId: text,
    total: count,
    /** `collection` means something else to mongoose. */
    collectionName: { type: String, required: true, maxlength: 200 },
    /** Of its metadata, `name=value` each. */
    labels: { type: [String], required: true },
    made: { type: made, required: true },
    actor: actorSchema,
    createdAt: { type: Date, required: true },
  }),
);
documentImports.index({ organisationId: 1, createdAt: 1, _id: 1 });
documentImports.index({ organisationId: 1, userId: 1, createdAt: 1, _id: 1 });
documentImports.index({ createdAt: 1, _id: 1 });

const documentImportItems = new Schema({
  _id: text,
  importId: text,
  number: count,
  url: text,
  sealedUrl: text,
  documentId: text,
  name: { type: String, required: true, maxlength: 2000 },
  status: {
    type: String,
    enum: ['QUEUED', 'FETCHING', 'IMPORTED', 'FAILED', 'CANCELLED'] as const,
    required: true,
  },
  begun: { type: Boolean, required: true },
  isCancelled: Boolean,
  attempts: count,
  sizeBytes: count,
  failure: { type: failure, default: null },
  /** Absent while nobody fetches it. */
  holder: String,
  /** Absent of one that is over, as the organisation is, so that the indexes hold no more than there is to do. */
  nextAttemptAt: Date,
  dueOrganisationId: String,
});
documentImportItems.index({ organisationId: 1, importId: 1, number: 1 });
documentImportItems.index({ organisationId: 1, importId: 1, status: 1, number: 1 });
documentImportItems.index({ dueOrganisationId: 1, nextAttemptAt: 1 }, { sparse: true });
documentImportItems.index({ nextAttemptAt: 1 }, { sparse: true });

export const importCollections = { documentImports, documentImportItems };
