import { randomUUID } from 'node:crypto';
import PDFDocument from 'pdfkit';
import { BrokenPromise, type Conversation } from './conversation.ts';
import { QUOTES_ONLY } from './walk-approval.ts';

type Identified = { id: string };
type Headers = Record<string, string>;
type Citation = { kind: string; id: string; page?: number; quote: string };
type Answer = Identified & { message: string; annotations: { model?: string; citations?: Citation[] } };

const PAGES = [
  'House rules of Example Ltd.',
  'Travel. Journeys by train are booked in second class up to four hours, and in first class beyond that.',
  'Holidays. Everybody has thirty days of leave a year, and asks for them two weeks ahead.',
];

/** Of `PAGES` the one that says how many days. */
const LEAVE_PAGE = 3;

/** Reading a file takes moments; the first one also loads the programs that do it. */
const READING_LIMIT_MS = 120_000;

/** What an organisation knows: a document, a convention, answers that quote them, a report. */
export const walkContent = async ({ chapter, send, say, until }: Conversation, headers: Headers): Promise<void> => {
  chapter('A document: a PDF of three pages, made on the spot, goes to the URL that the platform signs for it');
  const upload = await send<{ signed_url: string; document_id: string }>({
    method: 'POST',
    path: '/documents/upload/',
    headers,
    body: { id: randomUUID(), name: 'house-rules.pdf' },
    expect: 200,
  });
  await send({
    method: 'PUT',
    path: upload.signed_url,
    file: { bytes: await houseRules(), type: 'application/pdf' },
    expect: 200,
  });
  await until<{ status: string }>(
    { method: 'GET', path: `/documents/${upload.document_id}/`, headers, expect: 200 },
    ({ status }) => status !== 'UPLOADED' && status !== 'PROCESSING' && status !== 'PENDING_UPLOAD',
    READING_LIMIT_MS,
  );

  chapter('A convention: what assistants should know and keep to');
  await send({
    method: 'POST',
    path: '/conventions/',
    headers,
    body: { title: 'Tone', content: 'Letters to customers begin with their first name.' },
    expect: 200,
  });

  chapter('A search, by words and by meaning, finds the page');
  await send({ method: 'POST', path: '/search/', headers, body: { query: 'vacation', limit: 2 }, expect: 200 });

  chapter('An assistant answers, with the quote, the document and the page');
  const available = await send<{ default: { name: string }[] }>({
    method: 'GET',
    path: '/assistants/available/',
    headers,
    expect: 200,
  });
  const turn = await send<{ conversation_id: string; message: Answer }>({
    method: 'POST',
    path: '/agents/submit-to-assistant/',
    headers,
    body: {
      assistant_name: available.default[0]?.name ?? '',
      new_message: 'How many days of leave does everybody have?',
    },
    expect: 200,
  });
  const path = `/messages/?conversation_id=${turn.conversation_id}`;
  await send({ method: 'GET', path, headers, expect: 200 });
  const { citations = [], model } = turn.message.annotations;
  const cited = citations.find(({ id, page }) => id === upload.document_id && page === LEAVE_PAGE);
  if (cited) say(`It stands on page ${LEAVE_PAGE} of house-rules.pdf: “${cited.quote}”`);
  // What a language model says, and by which sources, is its own.
  else if (model === QUOTES_ONLY)
    throw new BrokenPromise(`the answer does not name page ${LEAVE_PAGE} of the document`);
  else say('The language model has named no page of the document, which another one does.');

  chapter('A report of that answer, as people read it');
  const report = await send<Identified & { message_id: string | null; markdown: string }>({
    method: 'POST',
    path: '/reports/',
    headers,
    body: { title: 'Leave', message_id: turn.message.id },
    expect: 200,
  });
  if (report.message_id !== turn.message.id) throw new BrokenPromise('the report is not of the answer');
  await send({ method: 'DELETE', path: `/reports/${report.id}/`, headers, expect: 200 });
};

/** One line of the house rules on each page. */
async function houseRules(): Promise<Buffer<ArrayBuffer>> {
  const document = new PDFDocument({ autoFirstPage: false });
  const pieces: Buffer[] = [];
  document.on('data', (piece: Buffer) => pieces.push(piece));
  const ended = new Promise<void>((resolve) => document.on('end', resolve));
  for (const text of PAGES) document.addPage().fontSize(14).text(text);
  document.end();
  await ended;
  return Buffer.concat(pieces);
}
