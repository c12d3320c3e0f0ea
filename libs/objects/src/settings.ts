import { flag, optional, secret, secretText, text, url } from '@platform-backend/core';

/** For the settings of a service that keeps objects. */
export const objectSettings = {
  OBJECTS_DIRECTORY: optional(
    text({
      example: '/var/lib/platform/objects',
      description: 'a folder that all replicas have, for files; `npm start` takes one in `PLATFORM_HOME`',
    }),
  ),
  OBJECTS_KEY: optional(
    secretText('signs the URLs of files in that folder; the same for all replicas; made by `npm start`'),
  ),
  OBJECTS_KEY_OTHER: optional(
    secretText(
      'the key before `OBJECTS_KEY`, or the one to come, while it is replaced: URLs that it has signed count as well',
    ),
  ),
  PLATFORM_PUBLIC_URL: optional(
    url({
      protocols: ['https', 'http'],
      example: 'https://api.example.com',
      description: 'where clients reach the platform, for URLs of uploads and downloads; set by `npm start`',
    }),
  ),
  S3_BUCKET: optional(
    text({
      pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
      mustBe: 'the name of a bucket',
      example: 'platform-objects',
      description: 'files are in S3 instead, where a bucket is named',
    }),
  ),
  S3_REGION: text({ default: 'us-east-1', description: 'the region of that bucket' }),
  S3_ENDPOINT: optional(
    url({
      protocols: ['https', 'http'],
      defaultDescription: 'Amazon’s',
      description: 'where S3 is, or what speaks its protocol',
    }),
  ),
  S3_PUBLIC_ENDPOINT: optional(
    url({
      protocols: ['https', 'http'],
      defaultDescription: 'as `S3_ENDPOINT`',
      description: 'where clients reach S3, if that is elsewhere',
    }),
  ),
  S3_ACCESS_KEY_ID: optional(text({ defaultDescription: 'found by the SDK', description: 'the key of S3' })),
  S3_SECRET_ACCESS_KEY: optional(secret(text({ defaultDescription: 'found by the SDK', description: 'its secret' }))),
  S3_PATH_STYLE: flag({
    default: true,
    description: 'how URLs name the bucket: `true` is `https://host/bucket`, `false` is `https://bucket.host`',
  }),
};
