import type { Clock } from '@platform-backend/core';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { shortFilename } from '../disposition.ts';
import { urlExpired, urlInvalid } from '../errors.ts';
import type { DownloadPermit, UploadPermit } from '../object-store.ts';

/** Permissions that fit into a URL: what is allowed, and a signature that nobody without the key can make. */
export interface UrlSigner {
  forUpload(permit: UploadPermit): string;
  forDownload(permit: DownloadPermit): string;
  /** @throws `forbidden` for a ticket that is expired, changed, or for something else. */
  readUpload(ticket: string): UploadPermit;
  readDownload(ticket: string): DownloadPermit;
}

/** Short names: a ticket stands in a URL. */
interface Signed {
  readonly for: 'PUT' | 'GET';
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly until: number;
  readonly type?: string;
  readonly max?: number;
  readonly name?: string;
}

export interface UrlKeys {
  /** Signs. */
  readonly key: string;
  /** What it has signed counts as well, while one takes the place of the other. */
  readonly otherKey?: string | undefined;
}

/** Of services that share keys none takes a ticket of another: its name is signed with them. */
export function urlSigner({ key: signing, otherKey }: UrlKeys, clock: Clock, service: string): UrlSigner {
  const signatureOf = (text: string, key = signing) =>
    createHmac('sha256', key).update(`${service}\n${text}`).digest('base64url');
  const keys = otherKey === undefined ? [signing] : [signing, otherKey];

  const isSignature = (signature: string, text: string, key: string): boolean => {
    const [given, right] = [signature, signatureOf(text, key)].map((one) => Buffer.from(one)) as [Buffer, Buffer];
    return given.length === right.length && timingSafeEqual(given, right);
  };

  const sign = (signed: Signed): string => {
    const text = Buffer.from(JSON.stringify(signed)).toString('base64url');
    return `${text}.${signatureOf(text)}`;
  };

  const open = (ticket: string, purpose: Signed['for']): Signed => {
    const [text = '', signature = '', ...more] = ticket.split('.');
    if (more.length > 0 || !keys.some((key) => isSignature(signature, text, key))) throw urlInvalid();
    const signed = JSON.parse(Buffer.from(text, 'base64url').toString()) as Signed;
    if (signed.for !== purpose) throw urlInvalid();
    if (signed.until <= clock.now().getTime()) throw urlExpired();
    return signed;
  };

  return {
    forUpload: ({ key, contentType, maxBytes, expiresAt }) =>
      sign({ for: 'PUT', key, until: expiresAt.getTime(), type: contentType, max: maxBytes }),
    forDownload: ({ key, filename, expiresAt }) =>
      sign({ for: 'GET', key, until: expiresAt.getTime(), name: shortFilename(filename) }),
    readUpload(ticket) {
      const { key, until, type = '', max = 0 } = open(ticket, 'PUT');
      return { key, contentType: type, maxBytes: max, expiresAt: new Date(until) };
    },
    readDownload(ticket) {
      const { key, until, name = '' } = open(ticket, 'GET');
      return { key, filename: name, expiresAt: new Date(until) };
    },
  };
}
