/** The two variants of doing the same that are compared; each has a process of its own, `caller.ts`. */
import type { ServiceKeys } from '@platform-backend/auth';
import {
  contentContract,
  type AssistantServiceClient,
  type DocumentServiceClient,
  type MessageServiceClient,
} from '@platform-backend/contract-content';
import { newId } from '@platform-backend/core';
import type { CallOptions } from '@platform-backend/grpc';
import { driver } from '@platform-backend/mongo/testing';
import { callers, member } from '@platform-backend/service/testing';

/**
 * - `driver`: what one writes with MongoDB's driver, for the same documents.
 * - `service`: the operation of the content service, over gRPC.
 */
export const variants = ['driver', 'service'] as const;
export type Variant = (typeof variants)[number];

/** A page of 50 messages from anywhere among all; a document with its text; a turn of an assistant without a model. */
export const tasks = ['messages', 'document', 'turn'] as const;
export type Task = (typeof tasks)[number];

export interface VariantParts {
  readonly databaseUrl: string;
  /** Connections to MongoDB. */
  readonly poolMax: number;
  readonly contentAddress: string;
  readonly keys: ServiceKeys;
  readonly organisationId: string;
  readonly documentIds: readonly string[];
  /** When the first message was said and the last one, in milliseconds since 1970. */
  readonly said: { readonly first: number; readonly last: number };
}

/** Does it once, and throws when that did not work. */
export type Tasks = Readonly<Record<Task, () => Promise<void>>>;

export const PAGE = 50;

export const tasksIn = (variant: Variant, parts: VariantParts): Tasks =>
  variant === 'service' ? throughService(parts) : throughDriver(parts);

const anywhere = ({ first, last }: VariantParts['said']): Date =>
  new Date(first + (last - first) * (0.01 + 0.99 * Math.random()));

const oneOf = (ids: readonly string[]): string => ids[Math.floor(Math.random() * ids.length)] ?? '';

function throughService({ contentAddress: address, keys, organisationId, documentIds, said }: VariantParts): Tasks {
  const { to } = callers({ of: contentContract, address, as: 'gateway', keys });
  const messages = to<MessageServiceClient<CallOptions>>('MessageService');
  const documents = to<DocumentServiceClient<CallOptions>>('DocumentService');
  const assistants = to<AssistantServiceClient<CallOptions>>('AssistantService');
  const by = member(organisationId);
  return {
    async messages() {
      const page = await messages.listMessages({ limit: PAGE, createdBefore: anywhere(said) }, by);
      checked(page.messages.length === PAGE);
    },
    async document() {
      const { content } = await documents.getDocument({ documentId: oneOf(documentIds) }, by);
      checked(content !== '');
    },
    async turn() {
      const { message } = await assistants.submitToAssistant({ assistantName: 'general', newMessage: QUESTION }, by);
      checked(message?.messageType === 'TEXT');
    },
  };
}

const QUESTION = 'What does the report say about herons?';

interface Stored {
  readonly _id: string;
  readonly [field: string]: unknown;
}

function throughDriver({ databaseUrl, poolMax, organisationId, documentIds, said }: VariantParts): Tasks {
  const client = new driver.MongoClient(databaseUrl, { maxPoolSize: poolMax });
  const collection = (name: string) => client.db().collection<Stored>(name);
  const [messages, conversations] = [collection('messages'), collection('conversations')];
  const [documents, texts] = [collection('documents'), collection('documentTexts')];
  return {
    async messages() {
      const page = await messages
        .find({ organisationId, createdAt: { $lt: anywhere(said) } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(PAGE)
        .toArray();
      checked(page.length === PAGE);
    },
    async document() {
      const found = await documents.findOne({ _id: `${organisationId}:${oneOf(documentIds)}`, organisationId });
      const text = await texts.findOne({ _id: String(found?.['objectKey']), organisationId });
      checked(text?.['text'] !== '');
    },
    async turn() {
      const [conversationId, answerId, at] = [newId(), newId(), new Date()];
      const common = { organisationId, conversationId, createdAt: at };
      await client.withSession((session) =>
        session.withTransaction(async () => {
          await conversations.insertOne({ _id: conversationId, organisationId, title: QUESTION }, { session });
          await messages.insertOne({ _id: newId(), ...common, message: QUESTION, isFinished: true }, { session });
          await messages.insertOne({ _id: answerId, ...common, message: '', isFinished: false }, { session });
        }),
      );
      const answer = { $set: { message: 'Nothing was found.', isFinished: true, finishedAt: new Date() } };
      await client.withSession((session) =>
        session.withTransaction(async () => {
          await conversations.updateOne({ _id: conversationId }, { $set: { lastMessageAt: at } }, { session });
          await messages.updateOne({ _id: answerId }, answer, { session });
        }),
      );
    },
  };
}

function checked(isRight: boolean): void {
  if (!isRight) throw new Error('another answer was expected');
}
