import type { GenerationServiceHandlers } from '@platform-backend/contract-content';
import type { CallContext } from '@platform-backend/grpc';
import type { GenerationUseCases } from '../app/generations.ts';

/** What language models write for other services, in the name of those for whom these work. */
export const generationHandlers = (app: GenerationUseCases): GenerationServiceHandlers<CallContext> => ({
  async generateText({ memberId, apiKeyId, clientGroupId, ...asked }, context) {
    const by = context.actorContext();
    const payer = { ...by, actor: { ...by.actor, userId: memberId }, apiKeyId, clientGroupId };
    const { outcome, text, problems, model, usage, costMicros } = await app.generate(payer, asked, context.signal);
    return {
      ...{ outcome, text, errors: problems, model, costMicros: String(costMicros) },
      ...{ inputTokens: String(usage.inputTokens), outputTokens: String(usage.outputTokens) },
    };
  },

  async checkGenerations({ generations }, context) {
    return { problems: await app.check(context.organisationId(), generations) };
  },
});
