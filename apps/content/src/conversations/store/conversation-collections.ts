import { Schema, withEvents } from '@platform-backend/mongo';

/** Who pays for a turn. */
export const payerFields = {
  _id: false,
  reservationId: String,
  memberId: String,
  clientGroupId: String,
  apiKeyId: String,
} as const;

/** An index by turns of organisations holds no more than there is to do. */
const isMarked = { searchDueAt: { $exists: true } };

const conversations = withEvents(
  new Schema({
    _id: { type: String, required: true },
    memberId: { type: String, required: true },
    title: { type: String, required: true, maxlength: 200 },
    isTitleDerived: Boolean,
    assistantId: { type: String, required: true },
    isShared: { type: Boolean, required: true },
    isArchived: { type: Boolean, required: true },
    currentMessageId: { type: String, required: true },
    messageCount: { type: Number, required: true, min: 0 },
    lastMessageAt: { type: Date, required: true },
    turn: {
      type: {
        _id: false,
        id: { type: String, required: true },
        answerId: { type: String, required: true },
        leasedUntil: { type: Date, required: true },
        isStopped: Boolean,
        payer: {
          type: payerFields,
          default: undefined,
        },
      },
      default: undefined,
    },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    searchDueAt: Date,
    removedAt: Date,
  }),
);
for (const sort of ['createdAt', 'lastMessageAt']) {
  conversations.index({ organisationId: 1, [sort]: 1, _id: 1 });
  conversations.index({ organisationId: 1, memberId: 1, [sort]: 1, _id: 1 });
  conversations.index({ organisationId: 1, isShared: 1, [sort]: 1, _id: 1 });
}
conversations.index({ 'turn.leasedUntil': 1 }, { sparse: true });
conversations.index({ removedAt: 1 }, { sparse: true });
// What has waited longest, for the metrics.
conversations.index({ searchDueAt: 1 }, { sparse: true });
conversations.index({ organisationId: 1, searchDueAt: 1 }, { partialFilterExpression: isMarked });

const messages = withEvents(
  new Schema({
    _id: { type: String, required: true },
    conversationId: { type: String, required: true },
    memberId: { type: String, required: true },
    senderId: { type: String, required: true },
    senderType: { type: String, enum: ['USER', 'ASSISTANT', 'SYSTEM', 'TOOL'] as const, required: true },
    message: { type: String, required: true },
    messageType: {
      type: String,
      enum: ['TEXT', 'TOOL_CALL', 'TOOL_RESULT', 'FILE', 'ERROR'] as const,
      required: true,
    },
    isFinished: { type: Boolean, required: true },
    annotations: Object,
    attachments: {
      type: [
        {
          _id: false,
          documentId: { type: String, required: true },
          name: { type: String, required: true },
          mediaType: { type: String, required: true },
          kind: { type: String, enum: ['IMAGE', 'TEXT'] as const, required: true },
        },
      ],
      default: undefined,
    },
    parentId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    finishedAt: Date,
    feedback: {
      type: {
        _id: false,
        rating: { type: String, enum: ['UP', 'DOWN'] as const, required: true },
        comment: { type: String, required: true, maxlength: 10_000 },
        createdAt: { type: Date, required: true },
      },
      default: undefined,
    },
    searchDueAt: Date,
  }),
);
messages.index({ organisationId: 1, createdAt: 1, _id: 1 });
messages.index({ organisationId: 1, memberId: 1, createdAt: 1, _id: 1 });
messages.index({ organisationId: 1, conversationId: 1, createdAt: 1, _id: 1 });
messages.index({ organisationId: 1, conversationId: 1, _id: 1 });
// What is rare among them: unfinished ones, and those of tools and the system.
messages.index({ organisationId: 1, isFinished: 1, createdAt: 1, _id: 1 });
messages.index({ organisationId: 1, senderType: 1, createdAt: 1, _id: 1 });
// What has waited longest, for the metrics.
messages.index({ searchDueAt: 1 }, { sparse: true });
messages.index({ organisationId: 1, searchDueAt: 1 }, { partialFilterExpression: isMarked });

export const conversationCollections = { conversations, messages };
