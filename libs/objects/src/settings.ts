import { flag, optional, secret, text, url } from '@platform-backend/core';

/** For the settings of a service that keeps objects. */
export const objectSettings = {
  /** Where objects are files, and what signs the URLs by which clients reach them; the same for all replicas. */
  OBJECTS_DIRECTORY: optional(text({ example: '/var/lib/platform/objects' })),
  OBJECTS_KEY: optional(secret(text({ mustBe: 'text of at least 16 characters', pattern: /^.{16,}$/s }))),
  /** Where clients reach the platform. */
  PLATFORM_PUBLIC_URL: optional(url({ protocols: ['https', 'http'], example: 'https://api.example.com' })),
  /** Objects are in S3 where a bucket is named. */
  S3_BUCKET: optional(text({ pattern: /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, example: 'platform-objects' })),
  S3_REGION: text({ default: 'us-east-1' }),
  S3_ENDPOINT: optional(url({ protocols: ['https', 'http'] })),
  S3_PUBLIC_ENDPOINT: optional(url({ protocols: ['https', 'http'] })),
  S3_ACCESS_KEY_ID: optional(text()),
  S3_SECRET_ACCESS_KEY: optional(secret(text())),
  S3_PATH_STYLE: flag({ default: true }),
};
