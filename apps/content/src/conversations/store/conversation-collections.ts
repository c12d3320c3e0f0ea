import { Schema, withEvents } from '@platform-backend/mongo';

const conversations = withEvents(
  new Schema({
    _id: String,
    memberId: String,
    title: String,
    isTitleDerived: Boolean,
    assistantId: String,
    isShared: Boolean,
    isArchived: Boolean,
    currentMessageId: String,
    messageCount: Number,
    lastMessageAt: Date,
    turn: {
      type: {
        _id: false,
        id: String,
        answerId: String,
        leasedUntil: Date,
        isStopped: Boolean,
        payer: {
          type: { _id: false, reservationId: String, memberId: String, clientGroupId: String, apiKeyId: String },
          default: undefined,
        },
      },
      default: undefined,
    },
    createdAt: Date,
    updatedAt: Date,
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
conversations.index({ searchDueAt: 1 }, { sparse: true });

const messages = withEvents(
  new Schema({
    _id: String,
    conversationId: String,
    memberId: String,
    senderId: String,
    senderType: String,
    message: String,
    messageType: String,
    isFinished: Boolean,
    annotations: Object,
    attachments: {
      type: [{ _id: false, documentId: String, name: String, mediaType: String, kind: String }],
      default: undefined,
    },
    parentId: String,
    createdAt: Date,
    finishedAt: Date,
    feedback: { type: { _id: false, rating: String, comment: String, createdAt: Date }, default: undefined },
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
messages.index({ searchDueAt: 1 }, { sparse: true });

export const conversationCollections = { conversations, messages };
