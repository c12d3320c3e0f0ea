import {
  type ActorContext,
  beginningOf,
  deadlineExceeded,
  type DomainError,
  invalidField,
  isNotFound,
  type Logger,
} from '@platform-backend/core';
import type { Attachment } from '../../conversations/domain/attachment.ts';
import type { Message } from '../../conversations/domain/message.ts';
import type { TurnRights } from '../domain/assistant-config.ts';
import { attach, isAttachable, type AttachableDocument } from '../domain/attach.ts';
import { attachmentUnreadable } from '../domain/errors.ts';
import {
  IMAGE_TYPES,
  imageTypeOf,
  MAX_IMAGE_BYTES,
  MAX_IMAGES,
  MAX_IMAGES_BYTES,
  type ImageContent,
} from '../domain/images.ts';
import type { ChatMessage, ModelTool } from '../domain/language-model.ts';
import type { DocumentScope } from './turn-context.ts';

/** Documents as files of messages, as far as whoever asks may open them. */
export interface AttachedFiles {
  readonly find: (organisationId: string, id: string) => Promise<AttachableDocument | undefined>;
  /** Its text; empty where none was read. NOT_FOUND: it is not there. */
  readonly readText: (by: ActorContext, id: string) => Promise<string>;
  /** Its bytes, up to so many and one more piece. NOT_FOUND: they are not there. */
  readonly readBytes: (by: ActorContext, id: string, limit: number, signal: AbortSignal) => Promise<Uint8Array>;
}

/** Of the texts of all files of one answer, in UTF-16 units: about a quarter of what an answer may use, read in each of its steps. */
export const MAX_ATTACHED_CHARACTERS = 40_000;

/** Files of one answer; of more, those of older messages are left out. */
const MAX_FILES = 20;

/** What the store may take for one file, and for all of one answer, in milliseconds: whoever asks waits for it. */
const [FILE_MS, FILES_MS] = [5_000, 15_000];

type Asker = ActorContext & { readonly rights: Pick<TurnRights, 'documents'> };

/**
 * The files that a person puts to a message. INVALID: there is none of that id that they may open. CONFLICT: one cannot be read, or not
 * yet, or is an image that the model does not see.
 */
export async function admitAttachments(
  { attachedFiles }: { readonly attachedFiles: Pick<AttachedFiles, 'find'> },
  { by, ids, seesImages }: { readonly by: Asker; readonly ids: readonly string[]; readonly seesImages: boolean },
): Promise<readonly Attachment[]> {
  const wanted = [...new Set(ids)];
  const documents = by.rights.documents
    ? await Promise.all(wanted.map((id) => attachedFiles.find(by.organisationId, id)))
    : [];
  const admitted: Attachment[] = [];
  let imageBytes = 0;
  for (const [index, id] of wanted.entries()) {
    const found = documents[index];
    if (!found || !isAttachable(found)) throw missing(id, ids.indexOf(id));
    const file = attach(found, { seesImages });
    if (file.kind === 'IMAGE' && seesImages) imageBytes += found.sizeBytes;
    if (imageBytes > MAX_IMAGES_BYTES)
      throw attachmentUnreadable({
        name: file.name,
        reason: `The images of a message may have up to ${MAX_IMAGES_BYTES / 1024 ** 2} MiB.`,
      });
    admitted.push(file);
  }
  return admitted;
}

const missing = (input: string, index: number): DomainError =>
  invalidField(['body', 'attachments', index], 'there is no such document', input);

/** Files as a model gets them. */
export interface ReadAttachments {
  /** By the messages that they belong to. */
  readonly images: ReadonlyMap<string, readonly ImageContent[]>;
  /** What was read of the others, as the answer of a tool; undefined: there are none. */
  readonly texts: { readonly tool: ModelTool; readonly shown: ChatMessage } | undefined;
  /** That are not read whole: of texts the beginning alone, of images those that are too many or none. */
  readonly cut: readonly string[];
  /** That cannot be read any more. */
  readonly missing: readonly string[];
  /** That could not be read this time. */
  readonly unread: readonly string[];
}

/** What is read of a file, or why nothing is. */
export interface AttachedText {
  readonly name: string;
  readonly text: string;
  /** It goes on beyond the text. */
  readonly isCut: boolean;
}

const TOOL = 'read_attachments';

/** Texts that came with a question as a tool that has been used already: what stands in them nobody here has written. */
export function attachedTexts(files: readonly AttachedText[], notes: readonly string[] = []): ReadAttachments['texts'] {
  if (files.length === 0 && notes.length === 0) return undefined;
  const parts = files.map(
    ({ name, text, isCut }) =>
      `File "${name}":\n${text}${isCut ? '\n[The file goes on, and only this much of it is shown: search for the rest.]' : ''}`,
  );
  const text = [...parts, ...notes].join('\n\n');
  return {
    tool: {
      name: TOOL,
      description: 'Shows the files that the person has attached',
      parameters: {},
      run: () => Promise.resolve(text),
    },
    shown: { role: 'tool', call: { id: TOOL, tool: TOOL, arguments: {} }, text },
  };
}

/**
 * Reads the files of a branch, those of the newest message first, as far as they fit. What cannot be read any more, since its document is
 * gone or not for whoever asks any longer, or not now, since the store is slow or away, is told the model and is no failure.
 */
export async function readAttachments(
  { attachedFiles, logger }: { readonly attachedFiles: AttachedFiles; readonly logger: Pick<Logger, 'warn'> },
  branch: readonly Message[],
  {
    by,
    seesImages,
    beforeImages,
    signal,
    fileMs = FILE_MS,
  }: {
    readonly by: Asker;
    readonly seesImages: boolean;
    /** Waits until there is room for them. */
    readonly beforeImages: () => Promise<void>;
    readonly signal: AbortSignal;
    readonly fileMs?: number;
  },
): Promise<ReadAttachments> {
  const inTime = withinTime({ eachMs: fileMs, allMs: FILES_MS }, signal);
  const wanted = new Map<string, { readonly file: Attachment; readonly messageId: string }>();
  for (const { id: messageId, attachments = [] } of branch.toReversed())
    for (const file of attachments) if (!wanted.has(file.documentId)) wanted.set(file.documentId, { file, messageId });
  const images = new Map<string, ImageContent[]>();
  const read: AttachedText[] = [];
  const [cut, gone, unread, notes]: [string[], string[], string[], string[]] = [[], [], [], []];
  let [imageCount, imageBytes, room] = [0, 0, MAX_ATTACHED_CHARACTERS];
  // An object, since the compiler does not see what a function sets.
  const slot = { isRefused: false };
  const showImage = async ({ documentId, name }: Attachment, messageId: string): Promise<void> => {
    await beforeImages().catch((error: unknown) => {
      slot.isRefused = true;
      throw error;
    });
    const limit = Math.min(MAX_IMAGE_BYTES, MAX_IMAGES_BYTES - imageBytes);
    const bytes = await inTime((own) => attachedFiles.readBytes(by, documentId, limit, own));
    const mediaType = imageTypeOf(bytes);
    if (mediaType === undefined || bytes.length > limit || imageCount >= MAX_IMAGES) {
      notes.push(`The image "${name}" is not shown.`);
      cut.push(documentId);
      return;
    }
    imageCount += 1;
    imageBytes += bytes.length;
    images.set(messageId, [...(images.get(messageId) ?? []), { mediaType, bytes }]);
  };
  const showText = async ({ documentId, name }: Attachment, isImage: boolean): Promise<void> => {
    const text = await inTime(() => attachedFiles.readText(by, documentId));
    if (text === '') {
      const why = isImage ? 'is an image, which you do not see' : 'has no text that could be read';
      notes.push(`The file "${name}" ${why}. Say so where the question needs it.`);
      return;
    }
    const shown = beginningOf(text, room);
    room -= shown.length;
    const isCut = shown.length < text.length;
    if (isCut) cut.push(documentId);
    read.push({ name, text: shown, isCut });
  };
  for (const { file, messageId } of [...wanted.values()].slice(0, MAX_FILES)) {
    signal.throwIfAborted();
    try {
      const find = () => attachedFiles.find(by.organisationId, file.documentId);
      const found = by.rights.documents ? await inTime(find) : undefined;
      if (!found || !isAttachable(found)) {
        gone.push(file.documentId);
        continue;
      }
      // A new version may be something else than what was attached.
      const isImage = IMAGE_TYPES.has(found.mediaType);
      await (isImage && seesImages ? showImage(file, messageId) : showText(file, isImage));
    } catch (error) {
      signal.throwIfAborted();
      // Of this replica, which is full, and not of the file.
      if (slot.isRefused) throw error;
      if (isNotFound(error)) gone.push(file.documentId);
      else {
        const { documentId, name } = file;
        logger.warn(
          { event: 'attachment.unread', err: error, organisationId: by.organisationId, documentId },
          'a file of a message could not be read now and is answered without',
        );
        unread.push(documentId);
        notes.push(`The file "${name}" could not be read this time. Say so where the question needs it.`);
      }
    }
  }
  if (gone.length > 0) notes.push('Some files that were attached are gone. Say so where the question needs them.');
  return {
    images,
    texts: attachedTexts(read, notes),
    cut,
    missing: gone,
    unread,
  };
}

/** Runs work that may take so long, each and all together; DEADLINE_EXCEEDED: it has taken longer. */
function withinTime({ eachMs, allMs }: { readonly eachMs: number; readonly allMs: number }, signal: AbortSignal) {
  let left = allMs;
  return async <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const begun = performance.now();
    const tooLate = Promise.withResolvers<never>();
    const over = new AbortController();
    const timer = setTimeout(
      () => {
        tooLate.reject(deadlineExceeded(new Error('the file takes too long')));
        over.abort();
      },
      Math.max(0, Math.min(eachMs, left)),
    );
    try {
      return await Promise.race([work(AbortSignal.any([signal, over.signal])), tooLate.promise]);
    } finally {
      clearTimeout(timer);
      left -= performance.now() - begun;
    }
  };
}

/** Documents to be searched, with the files of the conversation; whoever only quotes takes those of the question alone. */
export function scopeWithAttachments(
  scope: readonly DocumentScope[] | undefined,
  branch: readonly Message[],
  { quotesOnly }: { readonly quotesOnly: boolean },
): readonly DocumentScope[] | undefined {
  const asked = branch.findLast(({ senderType }) => senderType === 'USER');
  const files = (quotesOnly ? (asked ? [asked] : []) : branch).flatMap(({ attachments = [] }) => attachments);
  return withDocuments(
    scope,
    files.map(({ documentId }) => documentId),
    { quotesOnly },
  );
}

/** The same, of documents that are named. */
export function withDocuments(
  scope: readonly DocumentScope[] | undefined,
  ids: readonly string[],
  { quotesOnly }: { readonly quotesOnly: boolean },
): readonly DocumentScope[] | undefined {
  const sourceIds = [...new Set(ids)];
  if (sourceIds.length === 0) return scope;
  if (quotesOnly) return [{ sourceIds }];
  return scope && [...scope, { sourceIds }];
}
