import { Schema, withEvents } from '@platform-backend/mongo';

const reports = withEvents(
  new Schema({
    _id: { type: String, required: true },
    title: { type: String, required: true, maxlength: 2000 },
    markdown: { type: String, required: true },
    authorId: { type: String, default: null },
    messageId: { type: String, default: null },
    runId: { type: String, default: null },
    revision: { type: Number, required: true, min: 1 },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    deletedAt: { type: Date, default: null },
    /** For lists, which show the one or the other. */
    deleted: { type: Boolean, required: true, default: false },
  }),
);
reports.index({ organisationId: 1, deleted: 1, createdAt: 1, _id: 1 });
reports.index({ organisationId: 1, deleted: 1, authorId: 1, createdAt: 1, _id: 1 });
reports.index({ deleted: 1, deletedAt: 1 });

export const reportCollections = { reports };
