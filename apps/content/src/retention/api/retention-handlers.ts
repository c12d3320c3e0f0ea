import type {
  RetentionPolicyInput,
  RetentionRule as RuleInContract,
  RetentionServiceHandlers,
  UpdateRetentionPolicyRequest,
} from '@platform-backend/contract-content';
import type { CallContext } from '@platform-backend/grpc';
import type { RetentionUseCases, ShownPolicy } from '../app/retention.ts';
import type { RetentionRule, RetentionRules } from '../domain/retention-policy.ts';

export const retentionHandlers = (app: RetentionUseCases): RetentionServiceHandlers<CallContext> => ({
  getRetentionPolicy: async (_request, context) => policyMessage(await app.getPolicy(context.actorContext())),

  updateRetentionPolicy: async (request, context) =>
    policyMessage(await app.replacePolicy(context.actorContext(), rulesOf(request))),

  async previewRetentionPolicy(request, context) {
    const { at, examples, ...counts } = await app.preview(context.actorContext(), rulesOf(request));
    return {
      ...{ asOf: at, ...counts },
      examples: examples.map(({ id, name, collection, createdAt, updatedAt }) => ({
        ...{ id, name, collection, createdAt, updatedAt },
      })),
    };
  },
});

const ruleOf = (rule: RuleInContract | null): RetentionRule | null =>
  rule && { days: rule.days, since: rule.since ?? 'CHANGED' };

const rulesOf = (request: UpdateRetentionPolicyRequest): RetentionRules => ({
  documents: ruleOf(request.documents),
  collections: request.collections.map(({ collection, rule }) => ({ collection, rule: ruleOf(rule) })),
  conversations: ruleOf(request.conversations),
  transcriptions: ruleOf(request.transcriptions),
});

const policyMessage = ({ updatedAt, lastPass, ...rules }: ShownPolicy): RetentionPolicyInput => {
  const { documents, collections, conversations, transcriptions } = rules;
  const { startedAt, finishedAt, deleted } = lastPass ?? {};
  return {
    ...{ documents, collections: [...collections], conversations, transcriptions },
    updatedAt: updatedAt ?? null,
    lastPass: startedAt && finishedAt && deleted ? { startedAt, finishedAt, ...deleted } : null,
  };
};
