/** With which what a preview has shown is made exactly so. */
export interface PreviewToken {
  readonly token: string;
  readonly expiresAt: Date;
}

/** What a token says. */
export interface OpenedPreview {
  /** The moment of the preview. */
  readonly at: Date;
  /** CONFLICT: it comes to something else than the preview did. */
  requireSame(preview: object): void;
}

export interface PreviewTokens {
  /** A token for what a preview of an organisation came to at a moment. */
  sign(organisationId: string, preview: object, at: Date): Promise<PreviewToken>;
  /** INVALID: it is no token of a preview of this organisation. CONFLICT: it has expired. */
  open(organisationId: string, token: string, now: Date): Promise<OpenedPreview>;
}
