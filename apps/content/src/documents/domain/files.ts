import type { ByteRange } from './byte-range.ts';

/** Where the bytes of documents are. */
export interface Files {
  presignUpload(upload: UploadPermit): Promise<UploadUrl>;
  presignDownload(download: { key: string; filename: string; expiresAt: Date }): Promise<string>;
  /** Undefined where nothing was uploaded. */
  head(key: string): Promise<{ readonly bytes: number; readonly checksum: string } | undefined>;
  /** Runs the work on a file of its own with these bytes, which is gone afterwards. NOT_FOUND: there are none. */
  withCopy<T>(key: string, signal: AbortSignal, work: (copy: LocalCopy) => Promise<T>): Promise<T>;
  remove(keys: readonly string[]): Promise<void>;
  removeAll(organisationId: string): Promise<void>;
  /** Where clients bring and fetch bytes through the platform; undefined where they do so elsewhere. */
  readonly localEndpoint: LocalFileEndpoint | undefined;
}

export interface UploadPermit {
  readonly key: string;
  readonly contentType: string;
  readonly maxBytes: number;
  readonly expiresAt: Date;
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

/** What somebody says of the bytes that they are about to send. */
export interface UploadHead {
  readonly contentType: string;
  /** How many there will be; absent where nobody says. */
  readonly bytes?: number;
}

/** Whoever has a ticket has the permission that it says. FORBIDDEN: it has expired or is not ours. */
export interface LocalFileEndpoint {
  readUpload(ticket: string): UploadPermit;
  receive(
    permit: UploadPermit,
    head: UploadHead,
    body: AsyncIterable<Uint8Array>,
  ): Promise<{ readonly bytes: number; readonly checksum: string }>;
  /** NOT_FOUND: it was removed. */
  open(ticket: string): Promise<FileContent>;
}

export interface FileContent {
  readonly contentType: string;
  readonly disposition: string;
  readonly bytes: number;
  /** SHA-256 in hex. */
  readonly checksum: string;
  /** To be called once; without a range, all of it. */
  readonly read: (signal: AbortSignal, range?: ByteRange) => Promise<AsyncIterable<Uint8Array>>;
}
