import { Schema, withEvents } from '@platform-backend/mongo';

const reports = withEvents(
  new Schema({
    _id: String,
    title: String,
    markdown: String,
    authorId: { type: String, default: null },
    messageId: { type: String, default: null },
    runId: { type: String, default: null },
    revision: Number,
    createdAt: Date,
    updatedAt: Date,
    deletedAt: { type: Date, default: null },
    /** For lists, which show the one or the other. */
    deleted: { type: Boolean, default: false },
  }),
);
reports.index({ organisationId: 1, deleted: 1, createdAt: 1, _id: 1 });
reports.index({ organisationId: 1, deleted: 1, authorId: 1, createdAt: 1, _id: 1 });
reports.index({ deleted: 1, deletedAt: 1 });

export const reportCollections = { reports };
