import { Schema, withEvents } from '@platform-backend/mongo';

const transcriptions = withEvents(
  new Schema({
    _id: String,
    filename: String,
    name: String,
    text: String,
    corrected: Boolean,
    segments: [{ _id: false, start: Number, end: Number, text: String }],
    language: String,
    seconds: Number,
    engine: String,
    userId: String,
    createdAt: Date,
    updatedAt: Date,
  }),
);
transcriptions.index({ organisationId: 1, createdAt: 1, _id: 1 });
transcriptions.index({ organisationId: 1, userId: 1, createdAt: 1, _id: 1 });

export const transcriptionCollections = { transcriptions };
