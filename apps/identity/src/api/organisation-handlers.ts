import type { OrganisationServiceHandlers } from '@platform/contract/identity';
import { fieldsGiven, type CallContext } from '@platform/grpc';
import type { IdentityApp } from '../app/identity-app.ts';
import type { ChangeOrganisation } from '../domain/organisations/change-organisation.ts';
import { actingOf, actingService, personOf } from './acting.ts';
import {
  organisationMessage,
  organisationSummaryMessage,
  resolvedOrganisationMessage,
} from './organisation-messages.ts';

const area = 'organisation';

export const organisationHandlers = (app: IdentityApp): OrganisationServiceHandlers<CallContext> => ({
  async createOrganisation({ email, name, imageUrl }, context) {
    return organisationMessage(await app.createOrganisation(personOf(context), { email, name, imageUrl }));
  },

  async listOrganisations(request, context) {
    const { items, nextCursor, total } = await app.listOrganisations(personOf(context).id, request);
    return { organisations: items.map(organisationSummaryMessage), nextCursor, totalCount: total };
  },

  async getCurrentOrganisation(_request, context) {
    return organisationMessage(await app.getOrganisation(context.organisationId()));
  },

  async updateCurrentOrganisation({ email, name, imageUrl, updateMask }, context) {
    const wanted = fieldsGiven<ChangeOrganisation>(updateMask, {
      email: { email },
      name: { name },
      image_url: { imageUrl },
    });
    return organisationMessage(await app.updateOrganisation(actingOf(context, area), wanted));
  },

  async deleteCurrentOrganisation(_request, context) {
    return { id: await app.deleteOrganisation(actingOf(context, area)), deleted: true };
  },

  async transferOwnership({ memberId }, context) {
    return organisationMessage(await app.transferOwnership(actingOf(context, area), memberId));
  },

  async leaveOrganisation(_request, context) {
    const { id } = await app.leaveOrganisation(actingOf(context, area));
    return { id, deleted: true };
  },

  async applySubscription({ organisationId, ...request }, context) {
    const organisation = await app.applySubscription(actingService(context, organisationId), {
      subscription: {
        version: BigInt(request.version),
        tier: request.subscriptionTier,
        maxMemberLimit: request.maxMemberLimit,
        seatsRenewalEnabled: request.seatsRenewalEnabled,
        seatsRenewalCycle: request.seatsRenewalCycle,
        seatsExpiredAt: request.seatsExpiredAt,
        creditChecksEnabled: request.creditChecksEnabled,
        hasPlan: request.hasPlan,
      },
      ...(request.mostActiveMembers !== null && { mostActiveMembers: request.mostActiveMembers }),
    });
    return resolvedOrganisationMessage(organisation);
  },

  async resolveOrganisation({ organisationId }) {
    return resolvedOrganisationMessage(await app.resolveOrganisation(organisationId));
  },
});
