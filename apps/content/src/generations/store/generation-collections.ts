import { Schema, withEvents } from '@platform-backend/mongo';

const tokens = { type: Number, required: true, min: 0 } as const;

const generations = withEvents(
  new Schema({
    _id: { type: String, required: true },
    attempt: { type: Number, required: true, min: 1 },
    workId: { type: String, required: true },
    outcome: { type: String, enum: ['ANSWERED', 'CUT', 'WITHHELD', 'UNFIT'], required: true },
    text: String,
    problems: { type: [String], default: undefined },
    textUntil: Date,
    model: { type: String, required: true },
    usage: { type: { _id: false, inputTokens: tokens, outputTokens: tokens }, required: true },
    costMicros: tokens,
    replaced: { type: { _id: false, costMicros: tokens, debits: tokens }, default: undefined },
    createdAt: { type: Date, required: true },
  }),
);
generations.index({ organisationId: 1, createdAt: 1 });
generations.index({ textUntil: 1 }, { sparse: true });

export const generationCollections = { generations };
