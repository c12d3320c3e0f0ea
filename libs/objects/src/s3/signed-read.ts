import { GetObjectCommand, ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** A bucket of somebody else. */
export interface ForeignBucket {
  /** Empty: Amazon's of the region. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** A URL that gives an object, or without a key the first key of the bucket, for so many seconds. Whoever asks it needs no SDK. */
export async function signedRead(from: ForeignBucket, key: string | undefined, seconds: number): Promise<string> {
  const { endpoint, region, bucket: Bucket, accessKeyId, secretAccessKey } = from;
  const client = new S3Client({
    region,
    // Names with dots have no certificate of their own.
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
    ...(endpoint !== '' && { endpoint }),
  });
  try {
    const options = { expiresIn: seconds };
    return key === undefined
      ? await getSignedUrl(client, new ListObjectsV2Command({ Bucket, MaxKeys: 1 }), options)
      : await getSignedUrl(client, new GetObjectCommand({ Bucket, Key: key }), options);
  } finally {
    client.destroy();
  }
}
