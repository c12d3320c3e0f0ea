import type {
  AudioTranscriptionInput,
  EmbeddingInput,
  OpenAiServiceHandlers,
} from '@platform-backend/contract-content';
import type { CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import { formatted, inDetail } from '../../transcription/domain/formats.ts';
import type { Transcription } from '../../transcription/domain/transcription.ts';
import type { AudioUseCases } from '../app/audio.ts';
import type { EmbeddingUseCases } from '../app/embeddings.ts';

type Handlers = Pick<OpenAiServiceHandlers<CallContext>, 'createEmbeddings' | 'createAudioTranscription'>;

/** What there is to OpenAI's interface beside assistants: meanings of texts, and speech. */
export const mediaHandlers = (app: EmbeddingUseCases & AudioUseCases): Handlers => ({
  async createEmbeddings({ encodingFormat, ...request }, context) {
    const { vectors, tokens } = await app.embed(payerOf(context), request, context.signal);
    const encoded = encodingFormat === 'base64' ? inBase64 : inNumbers;
    const data = vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encoded(vector) }));
    return { object: 'list', data, model: request.model, usage: { promptTokens: tokens, totalTokens: tokens } };
  },

  async createAudioTranscription({ file, ...request }, context) {
    const { filename, content } = file;
    const heard = await app.transcribeAudio(payerOf(context), { ...request, filename, content }, context.signal);
    const told = { text: heard.text, usage: { type: 'duration', seconds: heard.seconds } };
    return { ...told, ...inFormat(heard, request.responseFormat) };
  },
});

const inNumbers = (vector: Float32Array): EmbeddingInput['embedding'] => [...vector];

/** Every machine that this runs on has the little end first. */
const inBase64 = ({ buffer, byteOffset, byteLength }: Float32Array): EmbeddingInput['embedding'] =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

function inFormat(heard: Transcription, format: string): Partial<AudioTranscriptionInput> {
  switch (format) {
    case 'verbose_json':
      return inDetail(heard);
    case 'text':
    case 'srt':
    case 'vtt':
      return { plain: formatted(heard, format) };
    default:
      return {};
  }
}
