import { Schema, withEvents } from '@platform-backend/mongo';

const chatCompletions = withEvents(
  new Schema({
    _id: String,
    assistantId: String,
    model: String,
    payer: { _id: false, reservationId: String, memberId: String, clientGroupId: String, apiKeyId: String },
    usage: { _id: false, inputTokens: Number, outputTokens: Number },
    costMicros: Number,
    outcome: String,
    leasedUntil: Date,
    createdAt: Date,
    finishedAt: Date,
  }),
);
chatCompletions.index({ organisationId: 1, finishedAt: 1 });
chatCompletions.index({ leasedUntil: 1 }, { sparse: true });

export const chatCompletionCollections = { chatCompletions };
