import type {
  OrganisationInput,
  OrganisationServiceHandlers,
  OrganisationSummaryInput,
  ResolvedOrganisationInput,
} from '@platform-backend/contract-identity';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import { personOf, reporterOf } from '../../members/api/callers.ts';
import type { OrganisationUseCases } from '../app/organisations.ts';
import type { Organisation, Subscription } from '../domain/organisation.ts';
import type { OrganisationOfUser, OrganisationWithMembers } from '../domain/organisations.ts';

/** Organisations beside the user who asks for herself. */
const MAX_SHOWN = 200;

export const organisationHandlers = (app: OrganisationUseCases): OrganisationServiceHandlers<CallContext> => ({
  createOrganisation: async ({ email, name, imageUrl }, context) =>
    organisationMessage(await app.createOrganisation(personOf(context), { email, name, imageUrl })),

  listOrganisations: async (request, context) =>
    listAnswer('organisations', await app.listOrganisations(personOf(context).id, request), summaryMessage),

  async getCurrentUser(_request, context) {
    const { id, email, name, emailVerified } = personOf(context);
    const { organisationId, level, clientGroupId, apiKeyId, scopes } = context.caller;
    // A key acts in one organisation, never as its owner, and with less than its user's level where its scopes say less.
    const { items } =
      apiKeyId === undefined
        ? await app.listOrganisations(id, { limit: MAX_SHOWN, cursor: '', includeTotal: false })
        : { items: [{ ...(await app.resolveOrganisation(context.organisationId())), level }] };
    return {
      ...{
        id,
        email,
        name,
        emailVerified,
        organisationId,
        permissionLevel: apiKeyId !== undefined && level === 'OWNER' ? 'ADMIN' : level,
        clientGroupId,
        apiKeyId,
        scopes,
      },
      organisations: items.map((each) => ({ ...each, permissionLevel: each.level ?? null })),
    };
  },

  getCurrentOrganisation: async (_request, context) =>
    organisationMessage(await app.getOrganisation(context.organisationId())),

  async updateCurrentOrganisation({ email, name, imageUrl, updateMask }, context) {
    const wanted = fieldsGiven(updateMask, { email, name, imageUrl });
    return organisationMessage(await app.updateOrganisation(context.actorContext(), wanted));
  },

  async deleteCurrentOrganisation(_request, context) {
    const { id } = await app.deleteOrganisation(context.actorContext());
    return { id, deleted: true };
  },

  transferOwnership: async ({ memberId }, context) =>
    organisationMessage(await app.transferOwnership(context.actorContext(), memberId)),

  async leaveOrganisation(_request, context) {
    const { id } = await app.leaveOrganisation(context.actorContext());
    return { id, deleted: true };
  },

  async applySubscription({ organisationId, ...request }, context) {
    const organisation = await app.applySubscription(reporterOf(context, organisationId), {
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
      ...(request.mostActiveMembers !== null && { maxActiveMembers: request.mostActiveMembers }),
    });
    return resolvedMessage(organisation);
  },

  resolveOrganisation: async ({ organisationId }) => resolvedMessage(await app.resolveOrganisation(organisationId)),
});

const organisationMessage = ({ members, ...organisation }: OrganisationWithMembers): OrganisationInput => ({
  ...organisation,
  ...subscriptionFields(organisation.subscription),
  members: members.map(({ level, ...member }) => ({ ...member, permissionLevel: level })),
});

const summaryMessage = (organisation: OrganisationOfUser): OrganisationSummaryInput => ({
  ...organisation,
  ...subscriptionFields(organisation.subscription),
  permissionLevel: organisation.level,
});

const subscriptionFields = ({ tier, ...subscription }: Subscription) => ({ ...subscription, subscriptionTier: tier });

const resolvedMessage = ({ id, name }: Organisation): ResolvedOrganisationInput => ({ organisationId: id, name });
