import type {
  ConventionInput,
  ConventionServiceHandlers,
  ConventionVersionInput,
} from '@platform-backend/contract-content';
import { requireVisible } from '@platform-backend/core';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { accessMessage, accessOf } from '../../access/api/access-messages.ts';
import { payerOf } from '../../credits/api/payer.ts';
import type { WithCredits } from '../../credits/domain/credits.ts';
import { quoteMessage } from '../../passages/api/search-messages.ts';
import type { ConventionUseCases } from '../app/conventions.ts';
import type { ConventionVersion } from '../domain/convention-version.ts';
import type { Convention } from '../domain/convention.ts';

export const conventionHandlers = (
  app: ConventionUseCases,
  withCredits: WithCredits,
): ConventionServiceHandlers<CallContext> => ({
  async createConvention({ title, content, access }, context) {
    requireVisible('body', { title, content });
    const by = context.actorContext();
    return conventionMessage(
      by.organisationId,
      await app.createConvention(by, { title, content, access: accessOf(access) }),
    );
  },

  async listConventions({ title, createdAfter, createdBefore, ...page }, context) {
    const by = context.actorContext();
    const wanted = {
      ...page,
      title: title ?? undefined,
      createdAfter: createdAfter ?? undefined,
      createdBefore: createdBefore ?? undefined,
    };
    const found = await app.listConventions(by, wanted);
    return listAnswer('conventions', found, (convention) => conventionMessage(by.organisationId, convention));
  },

  async getConvention({ conventionId }, context) {
    const by = context.actorContext();
    return conventionMessage(by.organisationId, await app.getConvention(by, conventionId));
  },

  async updateConvention({ conventionId, title, content, updateMask }, context) {
    const by = context.actorContext();
    const wanted = fieldsGiven(updateMask, { title, content });
    requireVisible('body', wanted);
    return conventionMessage(by.organisationId, await app.updateConvention(by, conventionId, wanted));
  },

  setConventionAccess: async ({ conventionId, ...access }, context) =>
    accessMessage(await app.setConventionAccess(context.actorContext(), conventionId, access)),

  async deleteConvention({ conventionId }, context) {
    const { id } = await app.deleteConvention(context.actorContext(), conventionId);
    return { id, deleted: true };
  },

  async listConventionHistory(request, context) {
    return listAnswer('versions', await app.listHistory(context.actorContext(), request), versionMessage);
  },

  async searchConventions({ query, mode, limit }, context) {
    requireVisible('body', { query });
    const by = payerOf(context);
    const found = await withCredits(by, () => app.searchConventions(by, { text: query, mode, limit }));
    const hits = found.hits.map(({ convention, hit }) => ({
      convention: conventionMessage(by.organisationId, convention),
      quote: quoteMessage(hit.quote),
      score: hit.score,
    }));
    return { hits, isComplete: found.isComplete };
  },
});

const conventionMessage = (
  organisationId: string,
  { embedding = [], ...convention }: Convention & { readonly embedding?: readonly number[] },
): ConventionInput => ({ ...convention, organisationId, embedding, access: accessMessage(convention) });

const versionMessage = ({ actor, conventionId: _, ...version }: ConventionVersion): ConventionVersionInput => ({
  ...version,
  actorType: actor.type,
  actorId: actor.id,
  actorName: actor.name,
});
