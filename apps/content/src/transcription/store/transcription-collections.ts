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
transcriptions.index({ organisationId: 1, updatedAt: 1, _id: 1 });

const text = { type: String, required: true } as const;
const seconds = { type: Number, required: true, min: 0 } as const;

const spoken = new Schema({ start: seconds, end: seconds, text }, { _id: false });
const part = new Schema(
  {
    from: seconds,
    to: seconds,
    text,
    language: { type: String, default: null },
    segments: [spoken],
  },
  { _id: false },
);
const recording = new Schema({ key: text, bytes: seconds, checksum: text }, { _id: false });
const failure = new Schema({ code: text, message: text }, { _id: false });
const lease = new Schema({ holder: text, until: { type: Date, required: true } }, { _id: false });
const payer = new Schema(
  {
    memberId: { type: String, default: null },
    clientGroupId: { type: String, default: null },
    apiKeyId: { type: String, default: null },
  },
  { _id: false },
);

const transcriptionJobs = withEvents(
  new Schema({
    _id: text,
    userId: text,
    status: {
      type: String,
      enum: ['QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'] as const,
      required: true,
    },
    documentId: text,
    filename: text,
    recording: { type: recording, required: true },
    language: { type: String, default: null },
    seconds: { type: Number, default: null, min: 0 },
    transcribedSeconds: seconds,
    parts: [part],
    failure: { type: failure, default: null },
    transcriptionId: text,
    hasTranscription: { type: Boolean, required: true },
    payer: { type: payer, required: true },
    debitId: text,
    /** Absent where nothing is set aside. */
    reservationId: String,
    attempts: { type: Number, required: true, min: 0 },
    /** Absent of one that is over, as the organisation is, so that the index holds no more than there is to do. */
    nextAttemptAt: Date,
    dueOrganisationId: String,
    lease: { type: lease, default: null },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    finishedAt: { type: Date, default: null },
  }),
);
transcriptionJobs.index({ organisationId: 1, createdAt: 1, _id: 1 });
transcriptionJobs.index({ organisationId: 1, userId: 1, createdAt: 1, _id: 1 });
transcriptionJobs.index({ organisationId: 1, status: 1, createdAt: 1, _id: 1 });
transcriptionJobs.index({ dueOrganisationId: 1, nextAttemptAt: 1 }, { sparse: true });
transcriptionJobs.index({ nextAttemptAt: 1 }, { sparse: true });
transcriptionJobs.index({ reservationId: 1 }, { sparse: true });
transcriptionJobs.index({ finishedAt: 1 });

export const transcriptionCollections = { transcriptions, transcriptionJobs };
