import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { RequestParts, Upload } from '@platform-backend/contract/http';
import type { ServiceStream } from '@platform-backend/grpc';
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { answerProblemAndLinger } from '../exchange/answer.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { BODY_TOO_LARGE, problem, type Problem } from '../exchange/problem.ts';
import { bodyRoom, type BodyMemory } from './body-room.ts';
import type { OpenStream } from './open-streams.ts';
import { endRequests } from './service-stream.ts';

/** What comes before the file waits in memory, so it is bounded tighter than forms that are held whole. */
const FORM_LIMITS = { fields: 100, fieldSize: 64 * 1024, files: 1, parts: 200, headerPairs: 20, headerSize: 16 * 1024 };

type Form = NonNullable<RequestParts['form']>;

/** The beginning of an upload has come. */
export interface OpenedUpload {
  /** What stood before the file. */
  readonly form?: Form;
  /** Sends the body's pieces, as fast as the service takes them and the client sends them. */
  readonly send: (call: ServiceStream, open: OpenStream) => void;
}

/**
 * Reads an upload up to its body, or to the file in it, and then hands it on. `opened` is called once, or never: then the
 * request was answered or its client went away.
 */
export function readUpload(
  exchange: Exchange,
  upload: Upload,
  memory: BodyMemory,
  opened: (opening: OpenedUpload) => void,
): void {
  const { request, response } = exchange;
  const refuse = (refusal: Problem): void => {
    exchange.cancel?.();
    stopReading(exchange);
    answerProblemAndLinger(exchange, refusal);
    request.resume();
  };
  if (upload.filePart === undefined && Number(request.headers['content-length'] ?? 0) > upload.maxLength) {
    refuse(BODY_TOO_LARGE);
    return;
  }
  // A connection that breaks in the middle of a body is the client's end, not an error of ours.
  request.on('error', ignore);
  // What is left of a body when its answer is out would keep the connection from the next request.
  response.once('finish', () => {
    stopReading(exchange);
    request.resume();
  });
  if (request.headers.expect !== undefined && request.httpVersionMinor > 0) response.writeContinue();

  const send = (source: Readable, call: ServiceStream, open: OpenStream): void => {
    let length = 0;
    source.on('data', (bytes: Buffer) => {
      open.moved();
      length += bytes.length;
      if (length > upload.maxLength) refuse(BODY_TOO_LARGE);
      else if (!call.write(upload.beforeChunk(bytes.length), bytes)) source.pause();
    });
    call.on('drain', () => {
      open.moved();
      source.resume();
    });
  };

  if (upload.filePart !== undefined) {
    readForm(exchange, upload.filePart, { memory, opened, send, refuse });
    return;
  }
  opened({
    send(call, open) {
      send(request, call, open);
      request.once('end', () => endRequests(call));
    },
  });
}

interface FormReading {
  readonly memory: BodyMemory;
  readonly opened: (opening: OpenedUpload) => void;
  readonly send: (source: Readable, call: ServiceStream, open: OpenStream) => void;
  readonly refuse: (refusal: Problem) => void;
}

function readForm(exchange: Exchange, filePart: string, { memory, opened, send, refuse }: FormReading): void {
  // Its client may have left while it was found out who it is: nothing would give room back.
  if (!exchange.open) return;
  const { request } = exchange;
  const room = bodyRoom(exchange, memory);
  /** Whether there was room for so many more bytes. */
  const hold = (bytes: number): boolean => {
    const refusal = room.take(bytes);
    if (refusal) refuse(refusal);
    return !refusal;
  };
  // For the part that is coming: of a field all is held until it is whole, of the file the piece that is on its way.
  if (!hold(FORM_LIMITS.fieldSize)) return;
  const form = new Map<string, string | { filename: string; contentType: string; content: Buffer }>();
  let isOpen = false;
  /** The call, and whether the form has come to its end; the last one of them ends the other. */
  let call: ServiceStream | undefined;
  let isWhole = false;

  const open = (source?: Readable): void => {
    isOpen = true;
    opened({
      form,
      send(begun, stream) {
        call = begun;
        if (source) send(source, begun, stream);
        if (isWhole) endRequests(begun);
      },
    });
  };
  const parser = formParser(request.headers);
  if (!parser) {
    // What a form has to have is missing.
    open();
    return;
  }
  parser.on('field', (name, value, _nameCut, isCut) => {
    if (isOpen) refuse(unreadable('The fields of the form must stand before its file.'));
    else if (isCut) refuse(unreadable(`Part exceeded maximum size of ${FORM_LIMITS.fieldSize / 1024}KB.`));
    else if (hold(Buffer.byteLength(name) + Buffer.byteLength(value))) form.set(name, value);
  });
  parser.on('file', (name, file, filename, _encoding, contentType) => {
    // Cut off: the form says so as well.
    file.on('error', ignore);
    if (name !== filePart || isOpen) file.resume();
    else {
      form.set(name, { filename, contentType, content: NOTHING });
      open(file);
    }
  });
  for (const limit of ['fieldsLimit', 'filesLimit', 'partsLimit'] as const) {
    parser.on(limit, () => refuse(unreadable('The form has too many parts.')));
  }
  parser.on('error', () => refuse(unreadable('There was an error parsing the body')));
  parser.on('finish', () => {
    isWhole = true;
    if (call) endRequests(call);
    if (!isOpen) open();
  });
  request.pipe(parser);
}

/** Undefined for a body that is no form. */
function formParser(headers: IncomingHttpHeaders) {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits: FORM_LIMITS });
  } catch {
    return undefined;
  }
}

function stopReading({ request }: Exchange): void {
  request.unpipe();
  request.removeAllListeners('data');
}

const unreadable = (detail: string): Problem => problem(400, 'unreadable_body', detail);
const NOTHING = Buffer.alloc(0);
const ignore = (): void => undefined;
