import { Schema, withEvents } from '@platform-backend/mongo';
import { payerFields } from '../../conversations/store/conversation-collections.ts';

const OUTCOMES = ['stop', 'length', 'content_filter', 'stopped', 'failed', 'interrupted'] as const;

const chatCompletions = withEvents(
  new Schema({
    _id: { type: String, required: true },
    assistantId: { type: String, required: true },
    model: { type: String, required: true },
    payer: { type: payerFields, required: true },
    usage: {
      type: {
        _id: false,
        inputTokens: { type: Number, required: true, min: 0 },
        outputTokens: { type: Number, required: true, min: 0 },
      },
      required: true,
    },
    costMicros: { type: Number, required: true, min: 0 },
    /** Null while it is written. */
    outcome: { type: String, enum: [...OUTCOMES, null] },
    leasedUntil: Date,
    createdAt: { type: Date, required: true },
    finishedAt: Date,
  }),
);
chatCompletions.index({ organisationId: 1, finishedAt: 1 });
chatCompletions.index({ leasedUntil: 1 }, { sparse: true });

export const chatCompletionCollections = { chatCompletions };
