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

const segment = { _id: false, start: Number, end: Number, text: String };

const transcriptionJobs = withEvents(
  new Schema({
    _id: String,
    userId: String,
    status: String,
    documentId: String,
    filename: String,
    recording: { type: { _id: false, key: String, bytes: Number, checksum: String } },
    language: String,
    seconds: Number,
    transcribedSeconds: Number,
    parts: [{ _id: false, from: Number, to: Number, text: String, language: String, segments: [segment] }],
    failure: { type: { _id: false, code: String, message: String } },
    transcriptionId: String,
    hasTranscription: Boolean,
    payer: { type: { _id: false, memberId: String, clientGroupId: String, apiKeyId: String } },
    debitId: String,
    /** Absent where nothing is set aside. */
    reservationId: String,
    attempts: Number,
    /** Absent of one that is over, as the organisation is, so that the index holds no more than there is to do. */
    workAt: Date,
    workOf: String,
    lease: { type: { _id: false, holder: String, until: Date } },
    createdAt: Date,
    updatedAt: Date,
    finishedAt: Date,
  }),
);
transcriptionJobs.index({ organisationId: 1, createdAt: 1, _id: 1 });
transcriptionJobs.index({ organisationId: 1, userId: 1, createdAt: 1, _id: 1 });
transcriptionJobs.index({ organisationId: 1, status: 1, createdAt: 1, _id: 1 });
transcriptionJobs.index({ workOf: 1, workAt: 1 }, { sparse: true });
transcriptionJobs.index({ reservationId: 1 }, { sparse: true });
transcriptionJobs.index({ finishedAt: 1 });

export const transcriptionCollections = { transcriptions, transcriptionJobs };
