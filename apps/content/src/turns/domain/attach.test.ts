import { describe, expect, it } from '@jest/globals';
import { DomainError } from '@platform-backend/core';
import { attach, type AttachableDocument } from './attach.ts';
import { imageTypeOf, MAX_IMAGE_BYTES } from './images.ts';

const document = (more: Partial<AttachableDocument> = {}): AttachableDocument => ({
  ...{ id: 'd', name: 'a.pdf', status: 'READY', mediaType: 'application/pdf', sizeBytes: 10, checksum: 'c' },
  failure: null,
  ...more,
});
const picture = (more: Partial<AttachableDocument> = {}) =>
  document({ mediaType: 'image/png', status: 'FAILED', ...more });

const outcome = (of: AttachableDocument, seesImages = false): string => {
  try {
    return attach(of, { seesImages }).kind;
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
};

describe('a document as a file of a message', () => {
  it('is read as text once it is ready', () => {
    expect(attach(document(), { seesImages: true })).toEqual({
      ...{ documentId: 'd', name: 'a.pdf', mediaType: 'application/pdf', kind: 'TEXT' },
    });
    for (const status of ['PENDING_UPLOAD', 'UPLOADED', 'PROCESSING'] as const)
      expect(outcome(document({ status }))).toBe('attachment_not_ready');
    const failure = { code: 'encrypted', message: 'Bring it without its password.' };
    expect(() => attach(document({ status: 'FAILED', failure }), { seesImages: true })).toThrow(failure.message);
  });

  it('is an image for a model that sees, whether or not anything could be read in it', () => {
    for (const status of ['UPLOADED', 'PROCESSING', 'READY', 'FAILED'] as const)
      expect(outcome(picture({ status }), true)).toBe('IMAGE');
    expect(outcome(picture({ sizeBytes: MAX_IMAGE_BYTES + 1 }), true)).toBe('attachment_unreadable');
    expect(outcome(picture({ status: 'PENDING_UPLOAD', sizeBytes: 0, checksum: '' }), true)).toBe(
      'attachment_not_ready',
    );
  });

  it('is refused as an image by a model that does not see, unless it has a text', () => {
    expect(outcome(picture())).toBe('images_not_supported');
    expect(outcome(picture({ status: 'PROCESSING' }))).toBe('attachment_not_ready');
    expect(outcome(picture({ status: 'READY' }))).toBe('IMAGE');
  });
});

describe('what image bytes are', () => {
  it.each([
    ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    ['image/jpeg', [0xff, 0xd8, 0xff, 0xe0]],
    ['image/gif', [0x47, 0x49, 0x46, 0x38, 0x39]],
    ['image/webp', [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x45, 0x42, 0x50]],
    [undefined, [0x52, 0x49, 0x46, 0x46, 1, 2, 3, 4, 0x57, 0x41, 0x56, 0x45]],
    [undefined, [0x3c, 0x73, 0x76, 0x67]],
    [undefined, []],
  ])('is %s', (type, bytes) => {
    expect(imageTypeOf(Uint8Array.from(bytes))).toBe(type);
  });
});
