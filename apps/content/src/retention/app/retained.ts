import { unchanged, type ActorContext, type Page, type PageRequest } from '@platform-backend/core';
import { removeConversation } from '../../conversations/domain/conversation.ts';
import type { Conversations } from '../../conversations/domain/conversations.ts';
import { deleteDocument } from '../../documents/domain/change-document.ts';
import type { Document } from '../../documents/domain/document.ts';
import type { Documents } from '../../documents/domain/documents.ts';
import { removeTranscription } from '../../transcription/domain/transcription.ts';
import type { Transcriptions } from '../../transcription/domain/transcriptions.ts';
import {
  documentRule,
  isOver,
  keptSince,
  type RetainedKind,
  type RetentionRules,
  type RetentionTarget,
} from '../domain/retention-policy.ts';

export interface RetainedPorts {
  readonly documents: Pick<Documents, 'olderThan' | 'updateWithFollowUp'>;
  readonly conversations: Pick<Conversations, 'olderThan' | 'update'>;
  readonly transcriptions: Pick<Transcriptions, 'olderThan' | 'update'>;
}

/** By what something is deleted, unless it is kept by now. */
export interface Removal {
  readonly rules: RetentionRules;
  /** What is older at this moment than its rule says is not kept. */
  readonly asOf: Date;
  readonly at: Date;
}

/** Things of one kind that are kept for a while. */
export interface RetainedThings<Thing extends { readonly id: string } = { readonly id: string }> {
  /** Those of a target that were older than its rule at this moment, the oldest first. */
  readonly over: (
    organisationId: string,
    target: RetentionTarget,
    asOf: Date,
    page: PageRequest,
  ) => Promise<Page<Thing>>;
  /** Deletes one as somebody would; whether it did. */
  readonly remove: (by: ActorContext, id: string, removal: Removal) => Promise<boolean>;
}

export interface Retained extends Readonly<Record<RetainedKind, RetainedThings>> {
  readonly documents: RetainedThings<Document>;
}

/** Whatever is kept for a while. */
export const retained = ({ documents, conversations, transcriptions }: RetainedPorts): Retained => ({
  documents: {
    over: (organisationId, { rule, collection, except }, asOf, page) =>
      documents.olderThan(organisationId, { ...olderThan(rule, asOf), collection, except }, page),
    remove: (by, id, { rules, asOf, at }) =>
      documents.updateWithFollowUp(by, id, at, (document) => {
        if (!document || document.retentionExempt) return kept(document);
        const { collection, createdAt, updatedAt: changedAt } = document;
        return isOver(documentRule(rules, collection), { createdAt, changedAt }, asOf)
          ? { ...deleteDocument(document, at), result: true }
          : kept(document);
      }),
  },
  conversations: {
    over: (organisationId, { rule }, asOf, page) =>
      conversations.olderThan(organisationId, olderThan(rule, asOf), page),
    remove: (by, id, { rules, asOf, at }) =>
      conversations.update(by, id, (conversation) => {
        if (!conversation || conversation.removedAt) return kept(conversation);
        const { createdAt, lastMessageAt: changedAt } = conversation;
        return isOver(rules.conversations, { createdAt, changedAt }, asOf)
          ? { ...removeConversation(conversation, at), result: true }
          : kept(conversation);
      }),
  },
  transcriptions: {
    over: (organisationId, { rule }, asOf, page) =>
      transcriptions.olderThan(organisationId, olderThan(rule, asOf), page),
    remove: (by, id, { rules, asOf, at }) =>
      transcriptions.update(by, id, (transcription) => {
        if (!transcription) return kept(transcription);
        const { createdAt, updatedAt: changedAt } = transcription;
        return isOver(rules.transcriptions, { createdAt, changedAt }, asOf)
          ? { ...removeTranscription(transcription, at), result: true }
          : kept(transcription);
      }),
  },
});

const olderThan = (rule: RetentionTarget['rule'], asOf: Date) => ({
  since: rule.since,
  before: keptSince(rule, asOf),
});

const kept = <State>(state: State) => ({ ...unchanged(state), result: false });
