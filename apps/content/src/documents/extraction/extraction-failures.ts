import { ExtractionFailure } from '../domain/extraction.ts';
import { limits } from './limits.ts';

/** What the owner of a document reads, in one place so that it is said in one way. */
export const extractionFailures = {
  emptyFile: () => new ExtractionFailure('empty_file', 'The file is empty. Upload it again with its content.'),
  unsupported: (what: string) =>
    new ExtractionFailure(
      'unsupported_type',
      `${what} cannot be read. Upload a PDF, Word (docx), Excel (xlsx), PowerPoint (pptx), OpenDocument text (odt), RTF, EPUB, HTML, Markdown, CSV, JSON, XML, text or e-mail (eml, msg) file.`,
    ),
  legacyOffice: () =>
    new ExtractionFailure(
      'unsupported_type',
      'This is an Office file of the format used before 2007. Save it as docx, xlsx, pptx or PDF and upload that.',
    ),
  encrypted: () =>
    new ExtractionFailure(
      'encrypted',
      'The file is protected by a password. Save a copy without the password and upload that.',
    ),
  damaged: (cause?: unknown) =>
    new ExtractionFailure(
      'damaged',
      'The file is damaged or incomplete. Open it in its program, save it again and upload that.',
      { cause },
    ),
  noText: () => new ExtractionFailure('no_text', 'The file has no text. Upload a document that has some.'),
  onlyPictures: () =>
    new ExtractionFailure(
      'no_text',
      'No text can be read from the PDF: its pages are pictures, as scanned ones are, or do not say which letters they show. Have its text recognised (OCR) and upload the result.',
    ),
  nothingRecognised: () =>
    new ExtractionFailure(
      'no_text',
      'No text was found in the pictures of the pages. Scan them upright and at 300 dots per inch, in a language that the platform reads, and upload the result.',
    ),
  fileTooLarge: () =>
    new ExtractionFailure(
      'too_large',
      `The file is larger than ${limits.fileBytes / 1024 / 1024} MiB. Split it and upload the parts.`,
    ),
  tooMuch: (what: string) =>
    new ExtractionFailure('too_large', `The document has more than ${what}. Split it and upload the parts.`),
  tooComplex: () =>
    new ExtractionFailure(
      'too_complex',
      'Reading the file takes more memory than a document may use. Split it, or save it in another format, and upload that.',
    ),
  tooDeep: () =>
    new ExtractionFailure(
      'too_complex',
      'The parts of the document stand in each other too deep. Save it in another format and upload that.',
    ),
  tooSlow: () =>
    new ExtractionFailure(
      'too_slow',
      'Reading the file took too long. Try it again, or split it and upload the parts.',
      { canRetry: true },
    ),
  readerFailed: (cause: unknown) =>
    new ExtractionFailure(
      'reader_failed',
      'The file could not be read. Try it again, or save it in another format and upload that.',
      { canRetry: true, cause },
    ),
  busy: () =>
    new ExtractionFailure('busy', 'Too many documents are being read. Try it again in a moment.', { canRetry: true }),
} as const;
