import type {
  ChatAnnotationInput,
  ChatCompletionChunkInput,
  CompletionUsageInput,
  ModelInput,
  OpenAiServiceHandlers,
} from '@platform-backend/contract-content';
import type { CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import { rightsOf } from '../../turns/api/rights.ts';
import type { Caller, ChatCompletionUseCases, CompletionEnd, CompletionUpdate } from '../app/chat-completions.ts';
import type { Model, ModelUseCases } from '../app/models.ts';
import { annotationsIn, type ChatAnnotation } from '../domain/chat-annotations.ts';

type ChatUseCases = Pick<ChatCompletionUseCases, 'complete'> & ModelUseCases;

type Handlers = Pick<
  OpenAiServiceHandlers<CallContext>,
  'listModels' | 'getModel' | 'createChatCompletion' | 'streamChatCompletion'
>;

export const chatHandlers = (app: ChatUseCases): Handlers => ({
  async listModels(_request, context) {
    return { object: 'list', data: (await app.listModels(callerOf(context))).map(modelMessage) };
  },

  getModel: async ({ model }, context) => modelMessage(await app.getModel(callerOf(context), model)),

  async createChatCompletion(request, context) {
    const { model } = request;
    let started = { id: '', created: 0 };
    for await (const update of app.complete(callerOf(context), model, request, context.signal)) {
      if (update.kind === 'started') started = startOf(update);
      else if (update.kind === 'finished') {
        const annotations = annotationsOf(update);
        const message = { role: 'assistant', content: update.text, annotations, ...structuredOf(update) } as const;
        return {
          ...{ ...started, object: 'chat.completion', model, usage: usageOf(update) },
          choices: [{ index: 0, message, finishReason: update.outcome }],
        };
      }
    }
    throw new Error('an answer has no end');
  },

  async *streamChatCompletion(request, context) {
    const { model, streamOptions } = request;
    let started = { id: '', created: 0 };
    const chunk = (choices: ChatCompletionChunkInput['choices'], usage?: CompletionUsageInput) => ({
      ...{ ...started, object: 'chat.completion.chunk', model, choices },
      ...(usage && { usage }),
    });
    for await (const update of app.complete(callerOf(context), model, request, context.signal)) {
      if (update.kind === 'started') {
        started = startOf(update);
        yield chunk([{ index: 0, delta: { role: 'assistant' } }]);
      } else if (update.kind === 'text') yield chunk([{ index: 0, delta: { content: update.text } }]);
      else {
        yield chunk([
          {
            index: 0,
            delta: { annotations: annotationsOf(update), ...structuredOf(update) },
            finishReason: update.outcome,
          },
        ]);
        if (streamOptions?.includeUsage) yield chunk([], usageOf(update));
      }
    }
  },
});

const callerOf = (context: CallContext): Caller => ({ ...payerOf(context), rights: rightsOf(context.caller) });

const secondsOf = (at: Date): number => Math.floor(at.getTime() / 1000);

const startOf = ({ id, createdAt }: Extract<CompletionUpdate, { kind: 'started' }>) => ({
  id,
  created: secondsOf(createdAt),
});

const modelMessage = ({ id, name, createdAt }: Model): ModelInput => ({
  ...{ id, name, object: 'model' },
  created: createdAt ? secondsOf(createdAt) : 0,
  ownedBy: createdAt ? 'organisation' : 'platform',
});

const usageOf = ({ usage: { inputTokens, outputTokens }, costMicros }: CompletionEnd): CompletionUsageInput => ({
  promptTokens: inputTokens,
  completionTokens: outputTokens,
  totalTokens: inputTokens + outputTokens,
  creditsMicros: costMicros,
});

const structuredOf = ({ structuredOutput }: CompletionEnd) =>
  structuredOutput ? { structuredOutput: { ...structuredOutput, errors: [...structuredOutput.errors] } } : {};

const annotationsOf = ({ text, citations }: Extract<CompletionUpdate, { kind: 'finished' }>): ChatAnnotationInput[] =>
  annotationsIn(text, citations).map(annotationMessage);

const annotationMessage = ({ text, start, end, citation }: ChatAnnotation): ChatAnnotationInput => ({
  ...{ type: 'file_citation', text, startIndex: start, endIndex: end },
  fileCitation: {
    fileId: citation.id,
    filename: citation.title,
    quote: citation.quote,
    page: citation.page ?? null,
    kind: citation.kind,
  },
});
