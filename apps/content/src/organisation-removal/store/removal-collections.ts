import { Schema, withEvents } from '@platform-backend/mongo';

/** Organisations that were deleted, until nothing of theirs can come any more. `_id` is the organisation's. */
const organisationRemovals = withEvents(
  new Schema({
    _id: { type: String, required: true },
    deletedAt: { type: Date, required: true },
    dueAt: { type: Date, required: true },
    endedAt: Date,
  }),
);
organisationRemovals.index({ dueAt: 1 });

export const removalCollections = { organisationRemovals };
