import { conflict, unavailable } from '@platform-backend/core';

/** When something that billing asks does not answer: `before` it has heard, or `after` it took effect. */
export type Outage = 'no' | 'before' | 'after';

export interface ReportedPlan {
  readonly subscriptionTier: string;
  readonly maxMemberLimit: number;
  readonly hasPlan: boolean;
}

interface Known {
  version: bigint;
  plan: ReportedPlan | null;
  activeMembers: number;
}

/** What billing asks of identity, as identity answers it. */
export function simulatedIdentity() {
  const organisations = new Map<string, Known>();
  let outage: Outage = 'no';
  const of = (id: string): Known => {
    const known = organisations.get(id) ?? { version: 0n, plan: null, activeMembers: 1 };
    organisations.set(id, known);
    return known;
  };
  const answering = <Answer>(answer: () => Answer): Promise<Answer> => {
    if (outage === 'before') return Promise.reject(unavailable(new Error('identity is away')));
    const given = answer();
    return outage === 'after' ? Promise.reject(unavailable(new Error('its answer was lost'))) : Promise.resolve(given);
  };

  return {
    of,
    breakDown: (when: Outage) => {
      outage = when;
    },
    client: {
      applySubscription: async (
        report: ReportedPlan & { organisationId: string; version: string; mostActiveMembers: number | null },
      ) =>
        answering(() => {
          const known = of(report.organisationId);
          if (BigInt(report.version) <= known.version) return { name: 'Acme' };
          if (report.mostActiveMembers !== null && known.activeMembers > report.mostActiveMembers)
            throw conflict('seats_in_use', 'More members are active');
          known.version = BigInt(report.version);
          const { subscriptionTier, maxMemberLimit, hasPlan } = report;
          known.plan = { subscriptionTier, maxMemberLimit, hasPlan };
          return { name: 'Acme' };
        }),
      resolveOrganisation: async () => answering(() => ({ name: 'Acme' })),
      getCurrentOrganisation: async () => answering(() => ({})),
      resolveClientPolicy: async ({ organisationId }: { organisationId: string }) =>
        answering(() => ({
          ...{ groupId: groupOf(organisationId), version: '1', isDefault: true },
          ...{ policy: null, groupCreatedAt: null },
        })),
    },
  };
}

export type SimulatedIdentity = ReturnType<typeof simulatedIdentity>;

const groups = new Map<string, string>();
const groupOf = (organisationId: string): string => {
  const id = groups.get(organisationId) ?? crypto.randomUUID();
  groups.set(organisationId, id);
  return id;
};
