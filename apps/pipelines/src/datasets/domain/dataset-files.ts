/** The bytes of datasets in the object store, and their copies on this machine. */
export interface DatasetFiles {
  readonly presignUpload: (upload: UploadPermit) => Promise<SignedUpload>;
  readonly presignDownload: (download: {
    readonly key: string;
    readonly filename: string;
    readonly expiresAt: Date;
  }) => Promise<string>;
  /** Bytes; undefined where there are none. */
  readonly sizeOf: (key: string) => Promise<number | undefined>;
  /** Bytes as they are kept. NOT_FOUND: there are none. */
  readonly read: (key: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  /** A folder that goes, with all that is in it, when it is disposed of. */
  readonly openFolder: () => Promise<LocalFolder & AsyncDisposable>;
  /** A folder for one piece of work. */
  readonly withFolder: <T>(work: (folder: LocalFolder) => Promise<T>) => Promise<T>;
  readonly keep: (key: string, path: string) => Promise<{ readonly bytes: number; readonly checksum: string }>;
  /** A small object, in place of what was there. */
  readonly writeText: (key: string, text: string) => Promise<void>;
  /** Undefined where there is none. */
  readonly readText: (key: string) => Promise<string | undefined>;
  readonly remove: (keys: readonly string[]) => Promise<void>;
  readonly removeAll: (prefix: string) => Promise<void>;
  /** Lets go of copies that were made long ago: what they are of may be removed meanwhile. */
  readonly forgetCopies: () => Promise<void>;
}

export interface LocalFolder {
  /**
   * The object as a file, which must not be changed. Objects never change either, so that copies of those that are asked
   * for again stay on this machine for a while.
   */
  readonly bring: (key: string, signal: AbortSignal) => Promise<string>;
  /** Where something may be written; it goes with the folder. */
  readonly newPath: (name: string) => string;
  readonly read: (path: string) => AsyncIterable<Uint8Array>;
  /** Writes it to the end of a file, which begins with it. */
  readonly append: (path: string, piece: Uint8Array) => Promise<void>;
}

export interface UploadPermit {
  readonly key: string;
  readonly contentType: string;
  readonly maxBytes: number;
  readonly expiresAt: Date;
  /** Its URL puts no bytes in the place of those that are there. */
  readonly ifAbsent?: boolean;
}

export interface SignedUpload {
  readonly url: string;
  /** The request has to bear them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: { readonly url: string; readonly fields: Readonly<Record<string, string>> };
}
