/** Where the bytes of documents are. */
export interface Files {
  presignUpload(upload: UploadPermit): Promise<UploadUrl>;
  presignDownload(download: { key: string; filename: string; expiresAt: Date }): Promise<string>;
  /** Keeps the bytes under the key, under which there are none. TOO_LARGE: there are more; then none are kept. */
  put(
    key: string,
    content: Uint8Array | AsyncIterable<Uint8Array>,
    kept: { readonly contentType: string; readonly maxBytes: number },
  ): Promise<UploadedBytes>;
  /** NOT_FOUND: there are none. */
  read(key: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /**
   * What was uploaded under the key, where no URL changes it any more: there or under `newKey`, as the answer says. Undefined where
   * nothing was.
   */
  settle(upload: {
    readonly key: string;
    readonly newKey: string;
    readonly maxBytes: number;
    /** Done before `newKey` is used. */
    readonly beforeCopy: () => Promise<void>;
  }): Promise<UploadedBytes | undefined>;
  /**
   * Runs the work on a file of its own with these bytes, which is gone afterwards. NOT_FOUND: there are none. CONFLICT
   * `bytes_replaced`: they are not those that were uploaded, or more.
   */
  withCopy<T>(uploaded: UploadedBytes, signal: AbortSignal, work: (copy: LocalCopy) => Promise<T>): Promise<T>;
  /** Runs the work on a file of its own with bytes that are kept nowhere; it is gone afterwards. */
  withTemporary<T>(content: Uint8Array, work: (path: string) => Promise<T>): Promise<T>;
  remove(keys: readonly string[]): Promise<void>;
  removeAll(organisationId: string): Promise<void>;
}

/** What is known of bytes since they came. */
export interface UploadedBytes {
  readonly key: string;
  readonly bytes: number;
  /** Empty where nobody has counted it yet. */
  readonly checksum: string;
}

export interface UploadPermit {
  readonly key: string;
  readonly contentType: string;
  readonly maxBytes: number;
  /** How many there will be, where that is known. */
  readonly bytes?: number;
  readonly expiresAt: Date;
  /** The bytes are here already, and stay. */
  readonly ifAbsent: boolean;
}

export interface UploadUrl {
  readonly url: string;
  readonly form?: { readonly url: string; readonly fields: Readonly<Record<string, string>> };
}

export interface LocalCopy {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly checksum: string;
}
