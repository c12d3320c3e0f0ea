import { Schema, withEvents } from '@platform-backend/mongo';

const transcriptions = withEvents(
  new Schema({
    _id: { type: String, required: true },
    filename: { type: String, required: true, maxlength: 2000 },
    name: { type: String, maxlength: 2000 },
    text: { type: String, required: true },
    corrected: Boolean,
    segments: [
      {
        _id: false,
        start: { type: Number, required: true },
        end: { type: Number, required: true },
        text: { type: String, required: true },
      },
    ],
    language: String,
    seconds: { type: Number, required: true, min: 0 },
    engine: { type: String, required: true },
    userId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
  }),
);
transcriptions.index({ organisationId: 1, createdAt: 1, _id: 1 });
transcriptions.index({ organisationId: 1, userId: 1, createdAt: 1, _id: 1 });

export const transcriptionCollections = { transcriptions };
