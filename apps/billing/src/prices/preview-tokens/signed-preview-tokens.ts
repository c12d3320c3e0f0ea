import { invalidField } from '@platform-backend/core';
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { previewExpired, previewOutdated } from '../domain/errors.ts';
import type { PreviewTokens } from '../domain/preview-token.ts';

/** For how long a preview can be made, in milliseconds. */
const lifetimeMs = 30 * 60_000;

/** Tokens that hold the moment and a digest of the preview, signed with the key of its organisation; nothing is kept. */
export const signedPreviewTokens = (keyOf: (organisationId: string) => Promise<string>): PreviewTokens => ({
  async sign(organisationId, preview, at) {
    const said = `${at.getTime().toString(36)}.${digestOf(preview)}`;
    const token = `${said}.${signatureOf(await keyOf(organisationId), said)}`;
    return { token, expiresAt: new Date(at.getTime() + lifetimeMs) };
  },

  async open(organisationId, token, now) {
    const [moment = '', digest = '', signature = ''] = token.split('.');
    const expected = Buffer.from(signatureOf(await keyOf(organisationId), `${moment}.${digest}`));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw noToken(token);
    const at = new Date(parseInt(moment, 36));
    if (now.getTime() - at.getTime() >= lifetimeMs) throw previewExpired();
    return {
      at,
      requireSame(preview) {
        if (digestOf(preview) !== digest) throw previewOutdated();
      },
    };
  },
});

function noToken(token: string) {
  const error = 'this is no token of a preview';
  return invalidField(['body', 'preview_token'], error, token, { error });
}

const digestOf = (preview: object): string =>
  createHash('sha256')
    .update(JSON.stringify(preview, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value)))
    .digest('base64url');

const signatureOf = (key: string, said: string): string => createHmac('sha256', key).update(said).digest('base64url');
