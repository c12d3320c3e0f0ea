type AttachmentKind = 'IMAGE' | 'TEXT';

/** A file that belongs to what somebody has said: a document of the organisation. */
export interface Attachment {
  readonly documentId: string;
  /** As the document was called then. */
  readonly name: string;
  readonly mediaType: string;
  readonly kind: AttachmentKind;
}
