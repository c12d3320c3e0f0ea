import type { Attachment } from '../../conversations/domain/attachment.ts';
import type { Document } from '../../documents/domain/document.ts';
import { attachmentNotReady, attachmentUnreadable, imagesNotSupported } from './errors.ts';
import { IMAGE_TYPES, MAX_IMAGE_BYTES } from './images.ts';

export type AttachableDocument = Pick<
  Document,
  'id' | 'name' | 'status' | 'mediaType' | 'sizeBytes' | 'checksum' | 'failure'
>;

/** Whether there is a file that could be read: one that is archived or never came counts as not there. */
export const isAttachable = ({ status }: Pick<Document, 'status'>): boolean =>
  status !== 'EXPIRED' && status !== 'ARCHIVED';

/**
 * The document as a file of a message, for a language model that sees or does not. An image needs no text; one that has some, as of OCR, is
 * read by a model that does not see.
 *
 * CONFLICT: it cannot be read, or not yet, or is an image that the model does not see.
 */
export function attach(document: AttachableDocument, { seesImages }: { readonly seesImages: boolean }): Attachment {
  const { id, name, status, mediaType, sizeBytes, failure } = document;
  const isImage = IMAGE_TYPES.has(mediaType);
  const attachment: Attachment = { documentId: id, name, mediaType, kind: isImage ? 'IMAGE' : 'TEXT' };
  const isThere = status !== 'PENDING_UPLOAD' && (sizeBytes > 0 || document.checksum !== '');
  if (isImage && seesImages && isThere) {
    if (sizeBytes > MAX_IMAGE_BYTES)
      throw attachmentUnreadable({ name, reason: `An image may have up to ${MAX_IMAGE_BYTES / 1024 ** 2} MiB.` });
    return attachment;
  }
  if (status === 'READY') return attachment;
  if (status !== 'FAILED') throw attachmentNotReady({ name });
  if (isImage && !seesImages) throw imagesNotSupported({ name });
  throw attachmentUnreadable({ name, reason: failure?.message ?? '' });
}
