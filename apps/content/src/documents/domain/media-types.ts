const BY_ENDING: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  eml: 'message/rfc822',
  epub: 'application/epub+zip',
  htm: 'text/html',
  html: 'text/html',
  json: 'application/json',
  jsonl: 'application/jsonl',
  markdown: 'text/markdown',
  md: 'text/markdown',
  msg: 'application/vnd.ms-outlook',
  ndjson: 'application/jsonl',
  odt: 'application/vnd.oasis.opendocument.text',
  pdf: 'application/pdf',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  txt: 'text/plain',
  xml: 'application/xml',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

export const ANY_TYPE = 'application/octet-stream';

/** What a file of this name is taken for until its bytes are read. */
export const mediaTypeOf = (name: string): string =>
  BY_ENDING[/\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''] ?? ANY_TYPE;
