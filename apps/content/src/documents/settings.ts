import { integer, optional, text } from '@platform-backend/core';
import { objectSettings } from '@platform-backend/objects/settings';

const MIB = 1024 * 1024;

/** Of scanned pages and pictures. */
export const ocrSettings = {
  CONTENT_OCR_LANGUAGES: text({
    default: 'eng+deu',
    pattern: /^[A-Za-z_]{3,40}(?:\+[A-Za-z_]{3,40}){0,9}$/,
    mustBe: 'names of languages as tesseract has them, joined by +',
    example: 'fra+eng',
    description:
      'languages of scanned pages and pictures, as tesseract names them, the most frequent first; those that are not installed are left out, and each makes it slower',
  }),
  CONTENT_OCR_MAX_PAGES: integer({
    default: 100,
    min: 0,
    max: 5_000,
    description:
      'scanned pages that are read of one document, where tesseract is installed; further ones are told as those that have no text; 0: none are read',
  }),
  CONTENT_OCR_PROCESSES: integer({
    default: 2,
    min: 1,
    max: 64,
    description: 'scanned pages that a replica reads at once, each by one thread; one organisation has half of them',
  }),
};

export const documentSettings = {
  ...objectSettings,
  ...ocrSettings,
  TMPDIR: optional(
    text({
      defaultDescription: '`/tmp`',
      example: '/var/lib/platform/work',
      description:
        'where recordings, and copies of documents that are being read, lie meanwhile, some GB of them; in a container that is best a disk, as temporary files may be memory',
    }),
  ),
  CONTENT_DOCUMENT_MAX_BYTES: integer({
    default: 50 * MIB,
    min: 1,
    max: 1024 * MIB,
    description: 'the largest document; the contract takes no more than 1 GiB',
  }),
  CONTENT_DOCUMENT_VERSIONS: integer({
    default: 20,
    min: 1,
    max: 100,
    description: 'how many versions of one document are kept, what it has now among them; the oldest go first',
  }),
  CONTENT_STORAGE_MAX_BYTES: optional(
    integer({
      min: 1,
      max: Number.MAX_SAFE_INTEGER,
      defaultDescription: 'no limit',
      description:
        'the most that all documents of one organisation may take with their versions, and what uploads that are awaited may bring',
    }),
  ),
  CONTENT_DOCUMENT_WORKERS: integer({
    default: 2,
    min: 0,
    max: 32,
    description:
      'documents that a replica processes at once, and one more of up to a mebibyte, which waits behind no larger one; 0: it answers calls and leaves the rest to others',
  }),
  CONTENT_DOCUMENT_DEADLINE_SECONDS: integer({
    default: 900,
    min: 1,
    max: 86_400,
    description: 'the longest processing of one document',
  }),
  CONTENT_DOCUMENT_LEASE_SECONDS: integer({
    default: 60,
    min: 1,
    max: 600,
    description: 'what a killed replica costs a document that it was at work on',
  }),
};
