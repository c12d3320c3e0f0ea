import { Schema, withEvents } from '@platform-backend/mongo';

const rule = new Schema(
  {
    days: { type: Number, required: true, min: 1 },
    since: { type: String, enum: ['CREATED', 'CHANGED'] as const, required: true },
  },
  { _id: false },
);
const count = { type: Number, required: true, min: 0 } as const;
const deleted = new Schema({ documents: count, conversations: count, transcriptions: count }, { _id: false });
const pass = new Schema(
  {
    startedAt: { type: Date, required: true },
    target: count,
    // Empty at the beginning of a target.
    cursor: { type: String, default: '' },
    deleted: { type: deleted, required: true },
  },
  { _id: false },
);
const endedPass = new Schema(
  {
    startedAt: { type: Date, required: true },
    finishedAt: { type: Date, required: true },
    deleted: { type: deleted, required: true },
  },
  { _id: false },
);

/** `_id` is the organisation. */
const retentionPolicies = withEvents(
  new Schema({
    _id: { type: String, required: true },
    documents: { type: rule, default: null },
    /** `collection` means something else to mongoose. */
    byCollection: [
      {
        _id: false,
        collectionName: { type: String, required: true, maxlength: 200 },
        rule: { type: rule, default: null },
      },
    ],
    conversations: { type: rule, default: null },
    transcriptions: { type: rule, default: null },
    updatedAt: { type: Date, required: true },
    /** Absent where everything is kept for good. */
    dueAt: Date,
    pass: { type: pass, default: undefined },
    lastPass: { type: endedPass, default: undefined },
  }),
);
retentionPolicies.index({ organisationId: 1 });
retentionPolicies.index({ dueAt: 1 }, { sparse: true });

export const retentionCollections = { retentionPolicies };
