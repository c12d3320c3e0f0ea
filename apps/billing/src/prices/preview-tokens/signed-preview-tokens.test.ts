import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { signedPreviewTokens } from './signed-preview-tokens.ts';

const at = new Date('2026-04-01T12:00:00.000Z');
const minutesLater = (minutes: number) => new Date(at.getTime() + minutes * 60_000);
const tokens = signedPreviewTokens((organisationId) => Promise.resolve(`key of ${organisationId}`));
const codeOf = (work: () => void) => {
  try {
    work();
  } catch (error) {
    return error instanceof DomainError ? error.code : error;
  }
  return null;
};

describe('the token of a preview', () => {
  const preview = { total: 119n, lines: ['Credits'], until: at };

  it('is for what the preview came to, at its moment, for half an hour', async () => {
    const { token, expiresAt } = await tokens.sign('acme', preview, at);
    expect(expiresAt).toEqual(minutesLater(30));
    const opened = await tokens.open('acme', token, minutesLater(29));
    expect(opened.at).toEqual(at);
    expect(codeOf(() => opened.requireSame({ ...preview }))).toBeNull();
    expect(codeOf(() => opened.requireSame({ ...preview, total: 120n }))).toBe('preview_outdated');
    await expect(tokens.open('acme', token, minutesLater(30))).rejects.toMatchObject({ code: 'preview_expired' });
  });

  it('cannot be made by anybody else, nor changed', async () => {
    const { token } = await tokens.sign('acme', preview, at);
    const [, digest, signature] = token.split('.');
    const moved = [minutesLater(10).getTime().toString(36), digest, signature].join('.');
    for (const [organisation, other] of [
      ['other', token],
      ['acme', moved],
      ['acme', `${token}x`],
      ['acme', ''],
      ['acme', 'a.b'],
    ] as const) {
      await expect(tokens.open(organisation, other, at)).rejects.toMatchObject({ kind: 'invalid' });
    }
  });
});
