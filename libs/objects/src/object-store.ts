/** Files of any size by their keys. Nothing ever holds one of them whole in memory. */
export interface ObjectStore {
  /** A permission for whoever has it to put this one object there. */
  presignUpload(upload: UploadPermit): Promise<SignedUpload>;
  /** A URL that gives the object to whoever has it, as a file to be saved. */
  presignDownload(download: DownloadPermit): Promise<string>;
  /** Undefined where there is none. */
  head(key: string): Promise<ObjectFacts | undefined>;
  /**
   * What was uploaded by a signed URL, where none changes it any more: at its key where URLs never put anything in the place of what
   * is there, else copied as it is now to `newKey`, for which no URL may be signed before. Undefined where nothing was uploaded. What
   * is larger than `maxBytes` stays where it is.
   */
  settle(upload: UploadToSettle): Promise<SettledObject | undefined>;
  /** All of it, or the bytes of a range that is there. @throws `not_found` where there is none. */
  read(key: string, options?: ReadOptions): Promise<AsyncIterable<Uint8Array>>;
  /**
   * Stores the bytes under the key, in place of what was there. Whoever reads meets the old ones or the new ones, never
   * a part of them.
   *
   * @throws `too_large` as soon as there is more than allowed; then nothing is stored.
   */
  write(key: string, body: AsyncIterable<Uint8Array>, options: WriteOptions): Promise<Required<ObjectFacts>>;
  /** What is not there counts as removed. */
  remove(keys: readonly string[]): Promise<void>;
  /** All keys that begin with it; it ends with a slash. */
  removeAll(prefix: string): Promise<void>;
  close(): void;
}

export interface ObjectFacts {
  readonly bytes: number;
  readonly contentType: string;
  /** SHA-256 in hex; absent where the bytes never passed through us. */
  readonly checksum?: string;
}

export interface UploadToSettle {
  readonly key: string;
  readonly newKey: string;
  readonly maxBytes: number;
  /** Done before a copy is begun, so that somebody knows of it whatever happens then. */
  readonly beforeCopy: () => Promise<void>;
}

export interface SettledObject extends ObjectFacts {
  readonly key: string;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  readonly range?: ByteRange | undefined;
}

/** From the first byte to the last one, both of them included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

export interface WriteOptions {
  readonly contentType: string;
  readonly maxBytes: number;
}

export interface UploadPermit {
  readonly key: string;
  /** The upload has to say the same; another one is refused with 415, and by S3, where it is signed, with 403. */
  readonly contentType: string;
  readonly maxBytes: number;
  /** How many there will be, where that is known: S3 then takes no other number. */
  readonly bytes?: number;
  readonly expiresAt: Date;
  /** The URL puts no others in the place of bytes that are there. A directory's never does. */
  readonly ifAbsent?: boolean;
}

/** What somebody says of the bytes that they are about to send. */
export interface UploadHead {
  readonly contentType: string;
  /** How many there will be; absent where nobody says. */
  readonly bytes?: number;
}

export interface DownloadPermit {
  readonly key: string;
  /** What the file is called where it is saved. */
  readonly filename: string;
  readonly expiresAt: Date;
}

export interface SignedUpload {
  readonly method: 'PUT';
  readonly url: string;
  /** The request has to bear them. */
  readonly headers: Readonly<Record<string, string>>;
  /** A second way, for browsers: a multipart form with these fields and then `file`. In S3 it alone holds the size down. */
  readonly form?: { readonly url: string; readonly fields: Readonly<Record<string, string>> };
}
