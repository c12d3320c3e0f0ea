/** A page that says nothing but in its picture: of a PDF, or of a file that is a picture. From 1. */
export interface PictureOfPage {
  readonly page: number;
  /** Points of a PDF, 72 to the inch; 0 where it has none. */
  readonly width: number;
  readonly height: number;
}

/** A file whose pages are pictures. */
export interface PictureFile {
  readonly path: string;
  readonly mediaType: string;
}

export interface OcrOptions {
  /** Organisations take turns, page by page. */
  readonly organisationId: string;
  readonly signal: AbortSignal;
  /** Milliseconds after which no further page is begun. */
  readonly timeoutMs: number;
}

/** OCR: the text of pictures. */
export interface Ocr {
  /** Media types of the files of which it can read pages. */
  readonly mediaTypes: readonly string[];
  /**
   * Tells the text of each page in the order in which they are given, one after the other: empty where none could be read, or where there
   * are more than may be. Rejects with the reason of the signal alone.
   */
  readonly readPages: (
    file: PictureFile,
    pages: readonly PictureOfPage[],
    options: OcrOptions & { readonly onText: (text: string) => void },
  ) => Promise<void>;
}
