import type {
  TranscribeRequest,
  TranscriptionInput,
  TranscriptionServiceHandlers,
} from '@platform-backend/contract-content';
import { fieldsGiven, inMessages, listAnswer, type CallContext } from '@platform-backend/grpc';
import { attachment } from '@platform-backend/objects';
import { payerOf } from '../../credits/api/payer.ts';
import type { TranscriptionUseCases } from '../app/transcriptions.ts';
import { emptyStream } from '../domain/errors.ts';
import { endings, formatted, mediaTypes } from '../domain/formats.ts';
import type { Transcription } from '../domain/transcription.ts';

type Handlers = Omit<
  TranscriptionServiceHandlers<CallContext>,
  'createTranscriptionJob' | 'listTranscriptionJobs' | 'getTranscriptionJob' | 'cancelTranscriptionJob'
>;

export const transcriptionHandlers = (app: TranscriptionUseCases): Handlers => ({
  async transcribe(requests, context) {
    const messages = requests[Symbol.asyncIterator]();
    const begun = await messages.next();
    if (begun.done === true || !begun.value.audio) throw emptyStream();
    const { audio, language } = begun.value;
    const bytes = bytesOf(begun.value, messages);
    const recording = { filename: audio.filename, language: language || undefined, bytes };
    const transcription = await app.transcribe(payerOf(context), recording, context.signal);
    context.logger.info(
      { engine: transcription.engine, seconds: transcription.seconds, characters: transcription.text.length },
      'recording transcribed',
    );
    return message(transcription);
  },

  async listTranscriptions(request, context) {
    const page = await app.listTranscriptions(context.actorContext(), request);
    return listAnswer('transcriptions', page, message);
  },

  getTranscription: async ({ transcriptionId }, context) =>
    message(await app.getTranscription(context.actorContext(), transcriptionId)),

  async *downloadTranscription({ transcriptionId, format }, context) {
    const transcription = await app.getTranscription(context.actorContext(), transcriptionId);
    const bytes = Buffer.from(formatted(transcription, format));
    const name = transcription.name.replace(/\.[a-z0-9]{1,5}$/i, '') || 'transcription';
    yield {
      contentType: mediaTypes[format],
      contentDisposition: attachment(`${name}.${endings[format]}`),
      contentLength: bytes.length,
      cacheControl: 'private, no-store',
      chunk: new Uint8Array(),
    };
    yield* inMessages([bytes]);
  },

  async updateTranscription({ transcriptionId, name, text, updateMask }, context) {
    const wanted = fieldsGiven(updateMask, { name, text });
    return message(await app.updateTranscription(context.actorContext(), transcriptionId, wanted));
  },

  async deleteTranscription({ transcriptionId }, context) {
    const { id } = await app.deleteTranscription(context.actorContext(), transcriptionId);
    return { id, deleted: true };
  },
});

/** The first message may have bytes already; those after it have nothing else. */
async function* bytesOf(
  first: TranscribeRequest,
  messages: AsyncIterator<TranscribeRequest>,
): AsyncGenerator<Uint8Array> {
  if (first.audio?.content.length) yield first.audio.content;
  for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
    if (next.value.audio?.content.length) yield next.value.audio.content;
  }
}

const message = ({ seconds, language, userId: createdBy, ...transcription }: Transcription): TranscriptionInput => ({
  ...transcription,
  language: language ?? '',
  durationSeconds: seconds,
  createdBy,
});
