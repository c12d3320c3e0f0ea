import type { Database, Knex } from '@platform-backend/postgres';
import type { ClientPolicies, ClientPolicy, PolicyOfGroup, VersionedPolicy } from '../domain/client-policy.ts';

/** `group_credit_limit` in the database reads it as well. */
type PolicyJson = {
  readonly [Name in keyof ClientPolicy]: bigint | null extends ClientPolicy[Name] ? string | null : ClientPolicy[Name];
};

interface PolicyRow {
  client_group_id: string;
  counted_from: string;
  policy: PolicyJson | null;
}

/** Client policies in PostgreSQL. The statement that reserves credits reads them there. */
export const clientPoliciesStore = (database: Database): ClientPolicies => ({
  get: (organisationId, clientGroupId) =>
    database.tenant(organisationId, async (trx) => {
      const named = clientGroupId === null ? { is_default: true } : { client_group_id: clientGroupId };
      const row = await trx('client_policies')
        .where({ organisation_id: organisationId, ...named })
        .orderBy('read_at', 'desc')
        // Days as text: a Date would be in the time zone of this machine.
        .first<PolicyRow | undefined>('client_group_id', 'policy', trx.raw('counted_from::text AS counted_from'));
      return row ? policyOfRow(row) : null;
    }),

  learn: (organisationId, policy, heardAt) =>
    database.tenant(organisationId, (trx) => savePolicy(trx, organisationId, policy, heardAt)),
});

/** Writes down a policy unless a newer one is known, so that it may be heard of late, twice and in any order. */
export async function savePolicy(
  trx: Knex.Transaction,
  organisationId: string,
  { clientGroupId, policy, countedFrom, version, isDefault }: VersionedPolicy,
  heardAt: Date,
): Promise<void> {
  await trx('client_policies')
    .insert({
      organisation_id: organisationId,
      client_group_id: clientGroupId,
      version: String(version),
      is_default: isDefault,
      counted_from: countedFrom,
      policy:
        policy && JSON.stringify(policy, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      read_at: heardAt,
    })
    .onConflict(['organisation_id', 'client_group_id'])
    .merge()
    .where('client_policies.version', '<=', String(version));
}

/** Forgets the policies of an organisation that is gone. */
export async function removePolicies(trx: Knex.Transaction, organisationId: string): Promise<void> {
  await trx('client_policies').where({ organisation_id: organisationId }).delete();
}

function policyOfRow({ client_group_id: clientGroupId, counted_from: countedFrom, policy }: PolicyRow): PolicyOfGroup {
  if (!policy) return { clientGroupId, countedFrom, policy };
  const limit = (text: string | null) => (text === null ? null : BigInt(text));
  return {
    clientGroupId,
    countedFrom,
    policy: {
      ...policy,
      aiCreditLimit: limit(policy.aiCreditLimit),
      infrastructureCreditLimit: limit(policy.infrastructureCreditLimit),
      requestLimit: limit(policy.requestLimit),
    },
  };
}
