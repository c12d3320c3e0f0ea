import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { DomainError, unavailable } from '@platform-backend/core';
import { Readable } from 'node:stream';
import { counted } from '../counted.ts';
import { attachment } from '../disposition.ts';
import { objectNotFound } from '../errors.ts';
import { requireKey, requirePrefix } from '../key.ts';
import type { ObjectStore } from '../object-store.ts';

export interface S3StoreOptions {
  readonly bucket: string;
  readonly region: string;
  /** Of a server other than Amazon's. */
  readonly endpoint?: string | undefined;
  /** Where clients reach the same server, if that is elsewhere. */
  readonly publicEndpoint?: string | undefined;
  /** The SDK looks for its own ones (environment, role of the machine) unless given. */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  /** `https://host/bucket/key` instead of `https://bucket.host/key`. */
  readonly pathStyle: boolean;
}

/** Milliseconds to a connection, and between two bytes of an answer. */
const CONNECT_MS = 5_000;
const SILENCE_MS = 30_000;

/** How often bytes are looked at that somebody replaces meanwhile. */
const SETTLE_ATTEMPTS = 5;

/** What one call to delete takes. */
const BATCH = 1_000;

export function s3Store({ bucket, publicEndpoint, ...options }: S3StoreOptions): ObjectStore {
  const client = s3Client(options);
  // Signing sends nothing, so that a second client costs no connection.
  const signing = publicEndpoint === undefined ? client : s3Client({ ...options, endpoint: publicEndpoint });
  const at = (key: string) => ({ Bucket: bucket, Key: requireKey(key) });

  async function remove(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += BATCH) {
      const Objects = keys.slice(from, from + BATCH).map((key) => ({ Key: requireKey(key) }));
      const { Errors: [failed] = [] } = await asked(
        client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects, Quiet: true } })),
      );
      if (failed) throw unavailable(new Error(`S3 did not delete ${failed.Key ?? ''}: ${failed.Message ?? ''}`));
    }
  }

  return {
    async presignUpload({ key, contentType, maxBytes, bytes, expiresAt, ifAbsent = false }) {
      const expiresIn = secondsUntil(expiresAt);
      const put = new PutObjectCommand({
        ...at(key),
        ContentType: contentType,
        ...(ifAbsent && { IfNoneMatch: '*' }),
        ...(bytes !== undefined && { ContentLength: bytes }),
      });
      const signableHeaders = new Set([
        'host',
        'content-type',
        ...(ifAbsent ? ['if-none-match'] : []),
        ...(bytes === undefined ? [] : ['content-length']),
      ]);
      // A form knows no precondition.
      if (ifAbsent) {
        const url = await getSignedUrl(signing, put, {
          expiresIn,
          signableHeaders,
          unhoistableHeaders: signableHeaders,
        });
        return { method: 'PUT', url, headers: { 'Content-Type': contentType, 'If-None-Match': '*' } };
      }
      const [url, form] = await Promise.all([
        // By itself the SDK signs the host alone, and any type would do.
        getSignedUrl(signing, put, { expiresIn, signableHeaders }),
        createPresignedPost(signing, {
          ...at(key),
          Conditions: [
            ['content-length-range', bytes ?? 0, bytes ?? maxBytes],
            ['eq', '$Content-Type', contentType],
          ],
          Fields: { 'Content-Type': contentType },
          Expires: expiresIn,
        }),
      ]);
      return { method: 'PUT', url, headers: { 'Content-Type': contentType }, form };
    },

    presignDownload: ({ key, filename, expiresAt }) =>
      getSignedUrl(signing, new GetObjectCommand({ ...at(key), ResponseContentDisposition: attachment(filename) }), {
        expiresIn: secondsUntil(expiresAt),
      }),

    async head(key) {
      const found = await asked(client.send(new HeadObjectCommand(at(key)))).catch(unlessMissing);
      return found && { bytes: found.ContentLength ?? 0, contentType: found.ContentType ?? '' };
    },

    async settle({ key, newKey, maxBytes, beforeCopy }) {
      for (let attempt = 1; ; attempt += 1) {
        const found = await asked(client.send(new HeadObjectCommand(at(key)))).catch(unlessMissing);
        if (!found) return undefined;
        const facts = { bytes: found.ContentLength ?? 0, contentType: found.ContentType ?? '' };
        if (facts.bytes > maxBytes) return { ...facts, key };
        const source = { CopySource: `${bucket}/${requireKey(key)}`, CopySourceIfMatch: found.ETag };
        if (attempt === 1) await beforeCopy();
        try {
          await client.send(new CopyObjectCommand({ ...at(newKey), ...source }));
          return { ...facts, key: newKey };
        } catch (error) {
          // Replaced or removed between the two: what is there now is looked at anew.
          if (attempt === SETTLE_ATTEMPTS || !(isMissing(error) || isReplaced(error))) throw unavailable(error, 5);
        }
      }
    },

    async read(key, { signal, range } = {}) {
      const part = range && { Range: `bytes=${range.first}-${range.last}` };
      const { Body } = await asked(
        client.send(new GetObjectCommand({ ...at(key), ...part }), { ...(signal && { abortSignal: signal }) }),
      );
      return Body as Readable as AsyncIterable<Uint8Array>;
    },

    async write(key, body, { contentType, maxBytes }) {
      const counter = counted(maxBytes);
      const Body = Readable.from(counter.pass(body), { objectMode: false });
      // In parts, of which two are held: a body has no length before its end. Parts of what fails are taken back.
      const upload = new Upload({ client, params: { ...at(key), Body, ContentType: contentType }, queueSize: 1 });
      await asked(upload.done());
      return { ...counter.facts(), contentType };
    },

    remove,

    async removeAll(prefix) {
      const Prefix = requirePrefix(prefix);
      for (;;) {
        const { Contents = [] } = await asked(
          client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix, MaxKeys: BATCH })),
        );
        if (Contents.length === 0) return;
        await remove(Contents.map(({ Key = '' }) => Key));
      }
    },

    close: () => {
      client.destroy();
      signing.destroy();
    },
  };
}

const s3Client = ({ region, endpoint, credentials, pathStyle }: Omit<S3StoreOptions, 'bucket' | 'publicEndpoint'>) =>
  new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    // Else the checksum of an empty body becomes a part of every signed URL.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: SILENCE_MS },
  });

const secondsUntil = (time: Date): number => Math.max(1, Math.floor((time.getTime() - Date.now()) / 1000));

/** Whatever S3 has against it is nothing that our caller can mend. */
async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (isMissing(error)) throw objectNotFound();
    throw unavailable(error, 5);
  }
}

const isReplaced = (error: unknown): boolean =>
  error instanceof S3ServiceException && error.name === 'PreconditionFailed';

const isMissing = (error: unknown): boolean =>
  error instanceof S3ServiceException && ['NoSuchKey', 'NotFound'].includes(error.name);

function unlessMissing(error: unknown): undefined {
  if (error instanceof DomainError && error.kind === 'not_found') return undefined;
  throw error;
}
