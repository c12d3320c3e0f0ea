import { DomainError, invalid, isNotFound, unavailable, type ActorContext } from '@platform-backend/core';
import type { InlineFile } from '../../documents/app/read-file.ts';
import { ExtractionFailure } from '../../documents/domain/extraction.ts';
import {
  attachedTexts,
  type AttachedFiles,
  type AttachedText,
  type ReadAttachments,
} from '../../turns/app/attachments.ts';
import type { TurnRights } from '../../turns/domain/assistant-config.ts';
import { attach, isAttachable } from '../../turns/domain/attach.ts';
import { imageTypeOf, MAX_IMAGE_BYTES, MAX_IMAGES_BYTES, type ImageContent } from '../../turns/domain/images.ts';
import type { ChatMessage } from '../../turns/domain/language-model.ts';
import type { MessageWithFiles } from '../domain/chat-request.ts';
import { unreadableFile, type RequestFile } from '../domain/request-files.ts';

export interface RequestFilePorts {
  readonly attachedFiles: AttachedFiles;
  /** What a file says; rejects with an `ExtractionFailure`. */
  readonly readFile: (organisationId: string, file: InlineFile, signal: AbortSignal) => Promise<string>;
}

/** What is asked, with its files read. */
interface ReadRequest {
  readonly messages: readonly ChatMessage[];
  readonly attached: ReadAttachments['texts'];
  /** The documents among the files. */
  readonly documentIds: readonly string[];
}

interface ReadingOptions {
  readonly by: ActorContext & { readonly rights: Pick<TurnRights, 'documents'> };
  readonly seesImages: boolean;
  /** Nobody reads files who only quotes; documents are searched. */
  readonly quotesOnly: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads the files of a request, whole: what is too long for the model is refused as texts are. INVALID: one cannot be read, or is an image
 * that the model does not see, or there is no such document for them. UNAVAILABLE: it cannot be read now.
 */
export async function readRequestFiles(
  ports: RequestFilePorts,
  asked: readonly MessageWithFiles[],
  { by, seesImages, quotesOnly, signal }: ReadingOptions,
): Promise<ReadRequest> {
  const { organisationId } = by;
  const texts: AttachedText[] = [];
  const documentIds: string[] = [];
  let imageBytes = 0;

  const image = ({ loc }: RequestFile, bytes: Uint8Array): ImageContent => {
    const mediaType = imageTypeOf(bytes);
    if (!seesImages) throw refused(loc, 'The language model of this assistant does not see images: leave it out');
    if (mediaType === undefined) throw refused(loc, 'Input should be an image: PNG, JPEG, GIF or WebP');
    imageBytes += bytes.length;
    if (bytes.length > MAX_IMAGE_BYTES || imageBytes > MAX_IMAGES_BYTES)
      throw refused(
        loc,
        `An image may have up to ${MAX_IMAGE_BYTES / 1024 ** 2} MiB, all together ${MAX_IMAGES_BYTES / 1024 ** 2}`,
      );
    return { mediaType, bytes };
  };

  async function document(file: RequestFile & { kind: 'document' }): Promise<ImageContent | undefined> {
    const { id, loc } = file;
    const found = by.rights.documents ? await ports.attachedFiles.find(organisationId, id) : undefined;
    if (!found || !isAttachable(found)) throw refused([...loc, 'file_id'], 'There is no such file');
    const { kind, name } = attach(found, { seesImages });
    documentIds.push(id);
    if (kind === 'IMAGE' && seesImages)
      return image(file, await ports.attachedFiles.readBytes(by, id, MAX_IMAGE_BYTES, signal));
    if (!quotesOnly) texts.push({ name, text: await ports.attachedFiles.readText(by, id), isCut: false });
    return undefined;
  }

  async function read(file: RequestFile): Promise<ImageContent | undefined> {
    const { loc } = file;
    try {
      if (file.kind === 'document') return await document(file);
      if (file.kind === 'image' || imageTypeOf(file.bytes) !== undefined) return image(file, file.bytes);
      if (quotesOnly)
        throw refused(
          loc,
          'No language model is set up here that would read it: upload it, and name it by its file_id',
        );
      texts.push({ name: file.name, text: await ports.readFile(organisationId, file, signal), isCut: false });
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ExtractionFailure)
        throw error.canRetry ? unavailable(error, 5) : refused(loc, error.message);
      if (isNotFound(error)) throw refused(loc, 'There is no such file');
      if (error instanceof DomainError && error.kind === 'conflict') throw refused(loc, error.message);
      throw error;
    }
  }

  const messages: ChatMessage[] = [];
  for (const { files = [], ...message } of asked) {
    const images: ImageContent[] = [];
    for (const file of files) {
      const shown = await read(file);
      if (shown) images.push(shown);
    }
    messages.push(message.role === 'user' && images.length > 0 ? { ...message, images } : message);
  }
  return { messages, attached: attachedTexts(texts), documentIds };
}

const refused = (loc: RequestFile['loc'], why: string) => invalid([unreadableFile(loc, why)]);
